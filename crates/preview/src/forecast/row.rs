//! One object in a sync.

use kube_jobs::argocd::{Fact, Phase, Waits};
use lint::survey::sync_order::{Absence, Moment};
use rewrite::strategy::Strategy;
use text::Place;

use super::outcome::Outcome;
use super::reason::{Effect, Reason, Used, used};
use crate::steps::{Entry, Held, Step};
use crate::{
    Because, Compared, Comparison, Failure, Halt, LiveReason, LiveState, ObjectName, Refused, Report, Runnable, Sees,
    Stop, Unapplied, Verdict, VersionChange, When,
};

/// A Job, a hook, or another object that makes the sync fail.
#[derive(Clone, Debug, PartialEq)]
pub struct ForecastRow {
    /// The name of the object in Git.
    pub object: ObjectName,
    /// Whether it is a hook.
    pub is_hook: bool,
    /// The name under which it runs, if that is another one.
    pub emitted: Option<String>,
    /// The place of the object; none for an object that only the cluster is known to have.
    pub place: Option<Place>,
    /// How its manifest changes.
    pub change: ManifestChange,
    /// When a sync first applies it; none if it is in no phase.
    pub moment: Option<Moment>,
    /// What the sync does with it.
    pub outcome: Outcome,
    /// Why, and what else there is to know.
    pub why: Vec<Reason>,
    /// Its index among the Jobs of the comparison, or of the report; none of what only makes the sync fail.
    pub job: Option<usize>,
    /// The workloads that wait for it.
    pub held: Option<Held>,
    /// The strategy that rewrites it, if it is a Job and Argo CD uses the plugin; none in a comparison.
    pub chosen: Option<Chosen>,
}

/// The strategy of a Job.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The strategy.
    pub strategy: Strategy,
    /// What chose it, in words.
    pub by: String,
}

/// How a manifest changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestChange {
    /// It is the same, or there is nothing to compare it with.
    Same,
    /// Only the new version has it.
    New,
    /// It differs.
    Changed,
    /// Only the old version has it.
    Gone,
}

impl ForecastRow {
    /// Returns the row of a Job or hook that is compared, without its index.
    pub fn compared(job: &Compared, comparison: &Comparison) -> Self {
        let reached = job.verdict.otherwise();
        // It looks at all Jobs.
        let is_waiting = || {
            let stop = comparison.last_stop();
            stop.is_some_and(|stop| stop.why == Halt::Suspended && stop.moment == job.moment)
        };
        let outcome = match Outcome::of_verdict(&job.verdict) {
            Outcome::Suspended if is_waiting() => Outcome::Waits,
            Outcome::Fails if Stop::spares(comparison.stop, job.moment) => Outcome::IfSyncFails,
            // It never ran.
            Outcome::Never if change(job, reached) == ManifestChange::Same => Outcome::Idle,
            Outcome::Runs | Outcome::RunsAgain if job.cannot_start() => Outcome::CannotStart,
            Outcome::AtDeletion if job.of_versions.iter().any(|change| change.is_harmful()) => Outcome::Lost,
            Outcome::Runs | Outcome::RunsAgain if job.kind.is_only_applied() => Outcome::Applied,
            outcome => outcome,
        };
        let is_named = job.verdict.runs() || matches!(job.verdict, Verdict::New(_));
        let is_emitted = is_named && !job.verdict.is_never() && !job.verdict.is_rejected() && job.emitted != job.name;
        let entry = entry(&comparison.steps, job.object).filter(|_| job.verdict.runs());
        let mut why = why(job, reached);
        why.extend(not_awaited(entry));
        Self {
            object: ObjectName { kind: job.kind.clone(), namespace: job.namespace.clone(), name: job.name.clone() },
            is_hook: job.is_hook,
            emitted: is_emitted.then(|| job.emitted.clone()),
            place: Some(job.place.clone()),
            change: change(job, reached),
            moment: job.moment,
            why,
            outcome,
            job: None,
            held: entry.and_then(|entry| entry.held.clone()),
            chosen: None,
        }
    }

    /// Returns the row of a Job that is in the cluster, or could be, without what decides its outcome.
    pub(crate) fn live(object: ObjectName, place: Place, outcome: Outcome) -> Self {
        Self {
            object,
            is_hook: false,
            emitted: None,
            place: Some(place),
            change: ManifestChange::Same,
            moment: None,
            outcome,
            why: Vec::new(),
            job: None,
            held: None,
            chosen: None,
        }
    }

    /// The row with the workloads that wait for the object of this index.
    pub(crate) fn held_by(self, steps: &[Step], object: usize) -> Self {
        Self { held: entry(steps, Some(object)).and_then(|entry| entry.held.clone()), ..self }
    }

    /// Returns the row of an object that makes the sync fail and is not a Job.
    pub(super) fn refused(one: &Refused) -> Self {
        let why = if one.fields.is_empty() { Reason::NoName } else { Reason::Fields(one.fields.clone()) };
        Self {
            object: one.object.clone(),
            is_hook: false,
            emitted: None,
            place: None,
            change: if one.is_old { ManifestChange::Same } else { ManifestChange::Changed },
            moment: one.moment,
            outcome: Outcome::Fails,
            why: vec![why],
            job: None,
            held: None,
            chosen: None,
        }
    }

    /// Returns the row of a Job or hook of one version, without its index.
    pub(super) fn alone(job: &Runnable, report: &Report) -> Self {
        let is_waiting = report.stop.is_some_and(|stop| stop.why == Halt::Suspended && stop.moment == job.moment);
        let (outcome, why) = match &job.when {
            When::FailedSync if report.stop.is_some_and(|stop| stop.runs_hooks_for(Phase::SyncFail)) => {
                (Outcome::Runs, vec![Reason::AfterFailure])
            }
            When::Rejected(why) if Stop::spares(report.stop, job.moment) => {
                (Outcome::IfSyncFails, vec![Reason::Rejected(*why)])
            }
            When::Rejected(why) => (Outcome::Fails, vec![Reason::Rejected(*why)]),
            When::FailsUnchanged(then) if **then == When::Baseline => (Outcome::Fails, vec![Reason::ReplaceAlone]),
            when if report.is_blocked(job) => {
                let halt = report.stop.map(|stop| Reason::Halted(stop.why));
                (Outcome::NotReached, halt.into_iter().chain([Reason::Cadence(when.clone())]).collect())
            }
            When::Never(Absence::Deletion) => (Outcome::AtDeletion, Vec::new()),
            When::Never(why) => (Outcome::Never, vec![Reason::Never(*why)]),
            When::Suspended(_) if is_waiting => (Outcome::Waits, vec![Reason::Cadence(job.when.clone())]),
            When::EveryRendering(differs) => {
                (Outcome::AsWritten(job.when.clone()), vec![Reason::Differs(differs.clone())])
            }
            when => (Outcome::AsWritten(when.clone()), Vec::new()),
        };
        let may_run = matches!(outcome, Outcome::AsWritten(_));
        let at_deletion = Some(job.at_deletion).filter(|_| may_run).and_then(Reason::at_deletion);
        let entry = entry(&report.steps, Some(job.object)).filter(|_| may_run);
        let chosen = job.job.filter(|_| !report.is_without_the_plugin());
        Self {
            object: ObjectName { kind: job.kind.clone(), namespace: job.namespace.clone(), name: job.written.clone() },
            is_hook: job.is_hook,
            emitted: Some(job.emitted.clone()).filter(|emitted| *emitted != job.written),
            place: Some(job.place.clone()),
            change: ManifestChange::Same,
            moment: job.moment,
            outcome,
            why: why.into_iter().chain(at_deletion).chain(not_awaited(entry)).collect(),
            job: None,
            held: entry.and_then(|entry| entry.held.clone()),
            chosen: chosen.map(|_| Chosen { strategy: job.strategy, by: job.chosen.clone() }),
        }
    }

    /// Whether it is about a Job of the cluster.
    pub fn is_live(&self) -> bool {
        self.why.iter().any(|reason| matches!(reason, Reason::Live(_)))
    }

    /// The state of the live Job; none if it is unknown, or not there.
    pub fn state(&self) -> Option<&LiveState> {
        self.why.iter().find_map(|reason| match reason {
            Reason::Live(LiveReason::State(state, _)) => Some(state),
            _ => None,
        })
    }

    /// Whether the live Job has failed.
    pub fn has_failed(&self) -> bool {
        matches!(self.state(), Some(LiveState::Failed { .. }))
    }

    /// The sort key of rows: the order of the sync; what is in no phase comes last.
    pub(super) fn place_in_order(&self) -> (bool, Option<Moment>) {
        (self.moment.is_none(), self.moment)
    }

    /// Whether its manifest changes, or what it uses.
    pub fn is_changed(&self) -> bool {
        self.change != ManifestChange::Same || self.why.iter().any(|reason| matches!(reason, Reason::Uses(_)))
    }

    /// Whether another version of Argo CD treats it differently.
    pub fn is_treated_differently(&self) -> bool {
        self.why.iter().any(|reason| matches!(reason, Reason::Version(_)))
    }

    /// Whether the sync runs it because of the change, or otherwise than without it. A changed object that it uses counts if the run sees the change.
    pub fn runs_because_of_the_change(&self) -> bool {
        let is_again = self.outcome == Outcome::RunsAgain;
        let is_seen = |used: &Used| is_again || matches!(used.effect, Effect::Sees(Sees::New | Sees::OldAtFirst));
        let is_because = |reason: &Reason| match reason {
            Reason::Uses(used) => is_seen(used),
            Reason::AfterFailure | Reason::Because(Because::References | Because::LiveOptions) => true,
            _ => false,
        };
        self.runs() && (self.change != ManifestChange::Same || self.why.iter().any(is_because))
    }

    /// Whether it fails, waits, or does not run although it should.
    pub fn is_bad(&self) -> bool {
        match self.outcome {
            Outcome::Fails | Outcome::Lost | Outcome::CannotStart | Outcome::Waits => true,
            Outcome::Never => self.why.contains(&Reason::Never(Absence::NoValidType)),
            _ => self.is_blocked(),
        }
    }

    /// Whether the new version of Argo CD cannot sync its next change.
    pub fn is_blocked(&self) -> bool {
        self.outcome != Outcome::Lost
            && self.why.iter().any(|reason| matches!(reason, Reason::Version(change) if change.is_harmful()))
    }

    /// Whether the sync runs it, or applies it.
    pub fn runs(&self) -> bool {
        let is_run = matches!(self.outcome, Outcome::Runs | Outcome::RunsAgain | Outcome::KilledAndRuns);
        is_run || matches!(self.outcome, Outcome::Resumes | Outcome::Applied)
    }

    /// Whether there is something to read about it: it changes, or the sync does something with it.
    pub fn is_shown(&self) -> bool {
        let is_idle =
            matches!(self.outcome, Outcome::Idle | Outcome::IfSyncFails | Outcome::Never | Outcome::AtDeletion);
        !is_idle || self.is_changed() || !self.why.is_empty() && self.why.iter().any(Reason::is_told_of_what_idles)
    }
}

/// How the manifest of a Job changes. `verdict` is the one without what stops the sync.
fn change(job: &Compared, verdict: &Verdict) -> ManifestChange {
    match verdict {
        Verdict::New(_) if job.unapplied.is_some() => ManifestChange::Changed,
        Verdict::New(_) => ManifestChange::New,
        Verdict::Gone(_) => ManifestChange::Gone,
        Verdict::Trapped(_) | Verdict::Collides(_) => ManifestChange::Changed,
        verdict if verdict.changed().iter().any(Because::is_of_the_manifest) => ManifestChange::Changed,
        _ => ManifestChange::Same,
    }
}

/// Why a sync does that. `reached` is the verdict without what stops the sync.
fn why(job: &Compared, reached: &Verdict) -> Vec<Reason> {
    let mut why = match &job.verdict {
        Verdict::Blocked(_, halt) => vec![Reason::Halted(*halt)],
        Verdict::AfterFailure(_) => vec![Reason::AfterFailure],
        _ => Vec::new(),
    };
    why.extend(of_verdict(job, reached));
    // That it was in no sync before says it.
    let is_said = |change: &VersionChange| change.fact == Fact::DeletionBesideSync && change.is_gained;
    let of_versions = job.of_versions.iter().filter(|change| !is_said(change));
    why.extend(of_versions.copied().map(Reason::Version));
    let is_replaced = |failure: &Failure| *failure == Failure::ReplaceAlone;
    let in_comparison = job.fails_in_comparison && matches!(reached, Verdict::Fails(_));
    if let (Verdict::Fails(_), failure) = (reached, &job.as_written) {
        let failure = failure.as_ref().filter(|failure| is_replaced(failure) && !job.is_prevented && !in_comparison);
        why.push(if failure.is_some() { Reason::ReplaceAlone } else { Reason::Immutable });
    }
    why.extend(reached.changed().iter().filter(|one| !one.is_explained_by(&job.uses)).cloned().map(Reason::Because));
    why.extend(job.uses.iter().map(|found| used(found, job)));
    why.extend(Reason::condition(job));
    let is_said = matches!(reached, Verdict::Fails(_)) || reached.is_rejected();
    let otherwise = job.as_written.as_ref().filter(|_| !is_said && !job.is_prevented);
    why.extend(otherwise.cloned().map(Reason::Otherwise));
    why.extend(job.tells_of_the_deletion().then(|| Reason::at_deletion(job.at_deletion)).flatten());
    why
}

/// The reasons that the kind of a verdict gives.
fn of_verdict(job: &Compared, verdict: &Verdict) -> Vec<Reason> {
    let is_applied = matches!(job.verdict, Verdict::Blocked(..));
    let new = match job.unapplied {
        Some(Unapplied::Rejected) => Reason::NotCreatedBefore,
        Some(Unapplied::InNoSync) => Reason::InNoSyncBefore,
        None => Reason::New,
    };
    match verdict {
        Verdict::New(When::Never(Absence::Deletion) | When::FailedSync) => vec![new],
        Verdict::New(When::Never(why)) => vec![new, Reason::Never(*why)],
        Verdict::New(When::Rejected(why)) => vec![new, Reason::Rejected(*why)],
        Verdict::New(when) => vec![new, Reason::FromNowOn(when.clone())],
        Verdict::EverySync { when, .. } => vec![Reason::Cadence(when.clone())],
        Verdict::Gone(leftover) => Reason::left(*leftover).into_iter().collect(),
        Verdict::Trapped(_) => vec![Reason::Trapped],
        Verdict::Collides(_) => vec![Reason::Collides],
        Verdict::DoesNotRun { when, changed } => match when {
            When::Never(Absence::Deletion) | When::FailedSync => Vec::new(),
            When::Never(why) => vec![Reason::Never(*why)],
            When::Rejected(why) => vec![Reason::Rejected(*why)],
            When::Suspended(_) => Vec::new(),
            _ if changed.is_empty() || is_applied => Vec::new(),
            _ => vec![Reason::InPlace],
        },
        Verdict::Skipped(changed) if !changed.is_empty() => vec![Reason::Unseen],
        Verdict::Skipped(_) | Verdict::RunsAgain(_) | Verdict::Resumes(_) | Verdict::Fails(_) => Vec::new(),
        Verdict::Blocked(..) | Verdict::AfterFailure(_) => Vec::new(),
    }
}

/// The object of this index in a sync.
fn entry(steps: &[Step], object: Option<usize>) -> Option<&Entry> {
    steps.iter().flat_map(|step| &step.entries).find(|entry| Some(entry.object) == object)
}

/// That the sync does not wait for a hook, whose kind has no health check in Argo CD.
fn not_awaited(entry: Option<&Entry>) -> Option<Reason> {
    let hook = entry.filter(|entry| entry.runs && entry.is_hook && entry.waits != Waits::Yes)?;
    Some(Reason::NotAwaited(hook.waits.clone()))
}
