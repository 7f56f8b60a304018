//! Why a sync does something with an object, and what else there is to know about it.

use kube_jobs::argocd::Waits;
use lint::survey::sync_order::Absence;

use crate::at_deletion::AtDeletion;
use crate::{
    Because, ChangedUse, Compared, Differs, Failure, Halt, Leftover, LiveReason, Rejection, Sees, Until, Verdict,
    VersionChange, When,
};

/// A reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Only the new version has it.
    New,
    /// How often it runs, changed or not.
    Cadence(When),
    /// It differs at every rendering.
    Differs(Differs),
    /// How often something new runs.
    FromNowOn(When),
    /// The API server refuses the update: `field is immutable`.
    Immutable,
    /// `Replace=true` alone is refused for each Job that exists.
    ReplaceAlone,
    /// Immutable fields of an object that is not a Job, by their paths.
    Fields(Vec<String>),
    /// An object that is not a hook has a `generateName`.
    NoName,
    /// What changed.
    Because(Because),
    /// An object that it uses changed.
    Uses(Used),
    /// The change is made in place.
    InPlace,
    /// Argo CD does not see the change.
    Unseen,
    /// No sync applies it.
    Never(Absence),
    /// It cannot be applied.
    Rejected(Rejection),
    /// It is applied while the sync still deletes the object of its name that is not a hook.
    Collides,
    /// The sync prunes the object of its name that is not a hook, and Argo CD takes that for the run of the hook.
    Trapped,
    /// The sync ends or waits before it.
    Halted(Halt),
    /// It runs because the sync fails.
    AfterFailure,
    /// What happens to one that only the old version has.
    Left(Leftover),
    /// What happens otherwise.
    If(Condition),
    /// A sync that comes to it would fail.
    Otherwise(Failure),
    /// What it does when the Application is deleted.
    AtDeletion(AtDeletion),
    /// The sync does not wait for it, or only with a health check that is not built in.
    NotAwaited(Waits),
    /// The old version of Argo CD could not create it.
    NotCreatedBefore,
    /// It was in no sync of the old version of Argo CD.
    InNoSyncBefore,
    /// What another version of Argo CD does differently with it.
    Version(VersionChange),
    /// What the live Job is, and what that does.
    Live(LiveReason),
}

/// An object that a Job uses and that differs, and what that does to the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The object.
    pub object: ChangedUse,
    /// What the run sees of it.
    pub effect: Effect,
}

/// What a run sees of a changed object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The run sees this change.
    Sees(Sees),
    /// Nothing until it runs.
    NotYet,
    /// It never runs.
    None,
}

/// What may be otherwise in the cluster, and what the sync does then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The earlier Job stays, and the Application is OutOfSync after the sync.
    EarlierStays,
    /// The sync waits until somebody confirms that the earlier Job is deleted.
    EarlierIsConfirmed,
    /// If it ended longer ago than its new TTL, in seconds, the TTL deletes it at once.
    EndedBefore(i64),
    /// If the earlier Job is still there, it does not run.
    ThereIsIdle,
    /// If the earlier Job is still there, the sync fails.
    ThereFails,
    /// If the earlier Job is still there, it is changed in place.
    ThereInPlace,
    /// If its TTL has deleted the earlier Job, it runs.
    Expired,
    /// If somebody has deleted the Job of the last sync, it runs.
    Deleted,
    /// If a sync has failed since, it runs.
    FailedSince,
}

impl Reason {
    /// What happens to an object that is gone, where the outcome does not say it all.
    pub(crate) fn left(leftover: Leftover) -> Option<Self> {
        let is_said = matches!(leftover, Leftover::Pruned | Leftover::IfPruned | Leftover::Nothing);
        (!is_said).then_some(Self::Left(leftover))
    }

    /// What a hook of the deletion does then; none for another object.
    pub(super) fn at_deletion(at: AtDeletion) -> Option<Self> {
        (at != AtDeletion::Nothing).then_some(Self::AtDeletion(at))
    }

    /// What may be otherwise with the earlier Job.
    pub(super) fn condition(job: &Compared) -> Option<Self> {
        let is_refused = |because: &Because| matches!(because, Because::Ttl { is_refused_otherwise: true, .. });
        Some(Self::If(match (&job.verdict, job.leftover, job.until) {
            (_, Some(Leftover::OutOfSync), _) => Condition::EarlierStays,
            (_, Some(Leftover::Confirmed), _) => Condition::EarlierIsConfirmed,
            (Verdict::DoesNotRun { .. }, _, Some(Until::NewTtl(ttl))) => Condition::EndedBefore(ttl),
            (Verdict::RunsAgain(because), _, Some(Until::Ttl(1..))) if because.len() == 1 => Condition::ThereIsIdle,
            (Verdict::RunsAgain(because), _, Some(Until::Ttl(1..) | Until::NewTtl(_))) => {
                if because.iter().any(is_refused) { Condition::ThereFails } else { Condition::ThereInPlace }
            }
            (Verdict::DoesNotRun { .. } | Verdict::Skipped(_) | Verdict::Fails(_), _, Some(Until::Ttl(_))) => {
                Condition::Expired
            }
            (Verdict::DoesNotRun { .. } | Verdict::Fails(_), _, Some(Until::Deleted)) => Condition::Deleted,
            (Verdict::DoesNotRun { .. } | Verdict::Fails(_), _, Some(Until::FailedSync)) => Condition::FailedSince,
            _ => return None,
        }))
    }

    /// Whether it is worth a row of something that neither changes nor runs.
    pub(super) fn is_told_of_what_idles(&self) -> bool {
        matches!(self, Self::If(_) | Self::Otherwise(_) | Self::Rejected(_) | Self::Left(_) | Self::Version(_))
    }

    /// Whether both say the same of their objects, whatever the containers are called.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Because(Because::Field(one)), Self::Because(Because::Field(other))) => one.is_like(other),
            _ => self == other,
        }
    }
}

/// A changed object that a Job uses.
pub(super) fn used(found: &ChangedUse, job: &Compared) -> Reason {
    let effect = match &job.verdict {
        verdict if verdict.runs() => Effect::Sees(found.sees),
        // Applying a change to an existing Job changes nothing in its pods.
        Verdict::DoesNotRun { when, .. } if *when != When::FailedSync => Effect::NotYet,
        Verdict::Skipped(_) => Effect::NotYet,
        _ => Effect::None,
    };
    Reason::Uses(Used { object: found.clone(), effect })
}
