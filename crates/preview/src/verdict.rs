//! What happens to a Job when the next version is synced, and the sentence that says so.

use kube_jobs::kubernetes::Difference;
use lint::survey::sync_order::Absence;

use super::because::Because;
use super::by_application::ByApplication;
use super::{Halt, Leftover, Runnable, Stop, When};

/// Whether a Job runs with the sync of the new version.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is new; when it runs.
    New(When),
    /// It was removed.
    Gone(Leftover),
    /// It runs once more, for these reasons.
    RunsAgain(Vec<Because>),
    /// It starts, because it is no longer suspended; the changes.
    Resumes(Vec<Because>),
    /// It runs at every sync, changed or not.
    EverySync {
        /// When.
        when: When,
        /// What changed in it.
        changed: Vec<Because>,
        /// Whether the change itself makes the Application OutOfSync.
        starts: bool,
    },
    /// The API server refuses the change, and the sync fails.
    Fails(Vec<Because>),
    /// It does not run, although it is a Sync hook: it was an ordinary Job, which the sync prunes, and Argo CD takes the result of the pruning for
    /// that of the hook.
    Trapped(Vec<Because>),
    /// It makes the sync fail: it is a hook that is not deleted first, and is applied while the sync still deletes the ordinary Job of its name.
    Collides(Vec<Because>),
    /// The sync does not apply it (`ApplyOutOfSyncOnly=true`), because Argo CD does not see these changes.
    Skipped(Vec<Because>),
    /// It does not run; changes are made in place.
    DoesNotRun {
        /// When a sync runs it.
        when: When,
        /// The changes.
        changed: Vec<Because>,
    },
    /// It does not run, because the sync fails or waits before it; the verdict without that.
    Blocked(Box<Verdict>, Halt),
    /// It runs because the sync fails; the verdict without that.
    AfterFailure(Box<Verdict>),
}

/// Why Argo CD could not have applied a Job as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// `field is immutable`
    Immutable(Vec<Difference>),
    /// A `generateName` on something that is not a hook cannot be applied.
    GenerateName,
    /// `Replace=true` alone fails on every Job.
    ReplaceAlone,
}

impl Verdict {
    /// True when the Job runs in the next sync.
    pub fn runs(&self) -> bool {
        match self {
            Self::New(when) => {
                !matches!(when, When::Never(_) | When::Rejected(_) | When::Suspended(_) | When::FailedSync)
            }
            Self::RunsAgain(_) | Self::Resumes(_) | Self::EverySync { .. } | Self::AfterFailure(_) => true,
            Self::Gone(_) | Self::Fails(_) | Self::Trapped(_) | Self::Collides(_) | Self::Skipped(_) => false,
            Self::DoesNotRun { .. } | Self::Blocked(..) => false,
        }
    }

    /// When the Job runs, as its manifest says; none for a verdict that does not depend on it.
    pub fn when(&self) -> Option<&When> {
        match self {
            Self::New(when) | Self::EverySync { when, .. } | Self::DoesNotRun { when, .. } => Some(when),
            _ => None,
        }
    }

    /// True when Argo CD never runs the Job because it does not know the type of the hook.
    pub fn is_never(&self) -> bool {
        self.when() == Some(&When::Never(Absence::NoValidType))
    }

    /// True when the Job is rejected, so that the sync fails.
    pub fn is_rejected(&self) -> bool {
        matches!(self.when(), Some(When::Rejected(_)))
    }

    /// True when the Job makes the sync fail, or does not run although its manifest says that it does.
    pub fn is_an_error(&self) -> bool {
        self.is_never() || self.is_rejected() || matches!(self, Self::Fails(_) | Self::Trapped(_) | Self::Collides(_))
    }

    /// True when the change has an effect that can be seen: it starts a run, makes one fail, or removes one.
    pub fn is_a_change(&self) -> bool {
        match self {
            Self::New(When::Never(_)) => false,
            Self::RunsAgain(because) => !because.iter().all(Because::is_without_change),
            Self::New(_) | Self::Gone(_) | Self::Resumes(_) => true,
            Self::Fails(_) | Self::Trapped(_) | Self::Collides(_) => true,
            Self::Skipped(changed) => !changed.is_empty(),
            Self::EverySync { changed, .. } | Self::DoesNotRun { changed, .. } => !changed.is_empty(),
            Self::Blocked(verdict, _) | Self::AfterFailure(verdict) => verdict.is_a_change(),
        }
    }

    /// What changed in the Job, or why it runs again. Empty for `Blocked` and `AfterFailure`: ask the verdict that [`Self::otherwise`] returns.
    pub fn changed(&self) -> &[Because] {
        match self {
            Self::RunsAgain(changed) | Self::Resumes(changed) | Self::Fails(changed) => changed,
            Self::Trapped(changed) | Self::Collides(changed) | Self::Skipped(changed) => changed,
            Self::EverySync { changed, .. } | Self::DoesNotRun { changed, .. } => changed,
            Self::New(_) | Self::Gone(_) | Self::Blocked(..) | Self::AfterFailure(_) => &[],
        }
    }

    /// Where a Job with this verdict makes the sync end or wait; none for other Jobs. `is_awaited` says whether the sync waits for the Job while it
    /// is suspended.
    pub(super) fn stop(&self, job: &Runnable, is_awaited: bool, application: ByApplication<'_>) -> Option<Stop> {
        match self {
            // Hooks are not compared.
            Self::Collides(_) => Stop::failing(job.moment),
            Self::Fails(_) if job.is_hook => Stop::failing(job.moment),
            Self::Fails(_) => Stop::by_update(job.moment, application),
            // A Job that does not exist is created, and not replaced.
            Self::New(When::FailsUnchanged(_)) => None,
            Self::New(when) | Self::DoesNotRun { when, .. } => Stop::by(when, job.moment, is_awaited),
            _ => None,
        }
    }

    /// The verdict for a sync that reaches the Job and does not fail.
    pub fn otherwise(&self) -> &Self {
        match self {
            Self::Blocked(verdict, _) | Self::AfterFailure(verdict) => verdict,
            verdict => verdict,
        }
    }
}
