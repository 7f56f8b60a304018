//! A Job of the source, and what is live of it: what a sync does that comes to it.

use goyaml::Value;
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};
use kube_jobs::kubernetes::{Difference, Job};
use rewrite::strategy::{Strategy, gate};

use super::{LiveJob, LiveReason, LiveState, NotKnown, Replacement, Whole};
use crate::Runnable;
use crate::by_application::ByApplication;
use crate::forecast::{Outcome, Reason};
use crate::pair::AfterPruning;
use crate::snapshot::Snapshot;
use crate::stop::{Halt, Stop};
use crate::when::When;

/// A Job that meets what is in the cluster.
pub(super) struct Meeting<'v> {
    pub(super) report: &'v Runnable,
    /// The Job as it is applied.
    pub(super) new: &'v Job,
    pub(super) application: ByApplication<'v>,
    pub(super) suspended: SuspendedTemplate,
    pub(super) version: Snapshot<'v>,
    /// Whether the sync waits for the Job, if it applies it.
    pub(super) is_awaited: bool,
}

/// What a sync does with a Job, and where the Job makes it end or wait.
pub(super) struct Fate {
    pub(super) outcome: Outcome,
    pub(super) why: Vec<Reason>,
    pub(super) stop: Option<Stop>,
}

impl Fate {
    fn new(outcome: Outcome, why: impl IntoIterator<Item = Reason>) -> Self {
        Self { outcome, why: why.into_iter().collect(), stop: None }
    }

    fn live(outcome: Outcome, why: LiveReason) -> Self {
        Self::new(outcome, [Reason::Live(why)])
    }

    fn with_stop(self, stop: Option<Stop>) -> Self {
        Self { stop, ..self }
    }
}

impl Meeting<'_> {
    /// The fate of a Job without a live Job of its name. `whole` says what is known of Jobs that are not in the input, `is_known` of its namespace.
    pub(super) fn without(&self, whole: Whole, is_known: bool) -> Fate {
        let unknown = |why| Fate::live(Outcome::Unknown, LiveReason::NotKnown(why));
        match self.idle(true) {
            Some(idle) => idle,
            None if self.new.name().is_none() => Fate::live(Outcome::Runs, LiveReason::NewName),
            None if whole == Whole::One => unknown(NotKnown::OneObject),
            None if whole == Whole::WithoutHooks && self.new.is_hook() => unknown(NotKnown::NoHooks),
            None if !is_known => unknown(NotKnown::OtherNamespace),
            None => Fate::live(Outcome::Runs, LiveReason::NotThere),
        }
    }

    /// The fate of a Job with the live Job of its name.
    pub(super) fn with(&self, old: &LiveJob) -> Fate {
        if let Some(idle) = self.idle(false) {
            return idle;
        }
        if old.state == LiveState::Deleting {
            return Fate::live(Outcome::Unknown, LiveReason::NotKnown(NotKnown::Deleting));
        }
        let fails = |why| Fate::new(Outcome::Fails, [why]).with_stop(Stop::failing(self.report.moment));
        match AfterPruning::of((&old.job, self.new), self.application) {
            Some(AfterPruning::Trap) => return Fate::new(Outcome::Lost, [Reason::Trapped]),
            Some(AfterPruning::Refused) => return fails(Reason::Collides),
            Some(AfterPruning::Created) => return self.after(old, Replacement::Pruned),
            None if self.new.is_hook() && self.new.is_new_each_time() => return self.after(old, Replacement::Hook),
            None => {}
        }
        let (is_replaced, is_forced) =
            (self.application.replaces_live(self.new, &old.job), self.application.forces(self.new, &old.job));
        let is_touched = self.touches(old);
        let refused = immutability::refused_live(&old.job, old.applied.as_ref(), self.new, self.suspended);
        match (is_replaced, is_forced) {
            (true, false) if is_touched => fails(Reason::ReplaceAlone),
            (true, _) if !is_touched => self.onto(old, false),
            _ if !refused.is_empty() && self.is_refused_in_comparison(old) => self.refused(refused),
            (false, _) if !is_touched => self.onto(old, false),
            (true, true) => self.after(old, Replacement::Replaced),
            (false, true) if !refused.is_empty() => self.after(old, Replacement::Forced),
            _ if !refused.is_empty() => self.refused(refused),
            _ => self.onto(old, true),
        }
    }

    /// The fate of a Job that the sync does not run, whatever is in the cluster; otherwise none. A suspended one is resumed or left, if it is live.
    fn idle(&self, with_suspended: bool) -> Option<Fate> {
        let when = &self.report.when;
        let outcome = Outcome::without_a_run(when).filter(|one| with_suspended || *one != Outcome::Suspended)?;
        let why = match when {
            When::FailedSync => return None,
            When::Never(why) => Some(Reason::Never(*why)).filter(|_| outcome != Outcome::AtDeletion),
            When::Rejected(why) => Some(Reason::Rejected(*why)),
            when => Some(Reason::Cadence(when.clone())),
        };
        Some(Fate::new(outcome, why).with_stop(Stop::by(when, self.report.moment, self.is_awaited)))
    }

    /// The API server refuses the update.
    fn refused(&self, fields: Vec<Difference>) -> Fate {
        let stop = match self.report.is_hook {
            true => Stop::failing(self.report.moment),
            false => Stop::by_update(self.report.moment, self.application),
        };
        let why = [Reason::Immutable, Reason::Live(LiveReason::Immutable(fields))];
        Fate::new(Outcome::Fails, why).with_stop(stop)
    }

    /// Whether a server-side diff refuses the update. It does not refuse a removal that it misses.
    fn is_refused_in_comparison(&self, old: &LiveJob) -> bool {
        let misses_removals = || self.application.misses_removals_from(&old.job, self.new);
        let is_refused = || !immutability::refused_live(&old.job, None, self.new, self.suspended).is_empty();
        self.application.has_server_side_diff() && !self.new.is_hook() && (!misses_removals() || is_refused())
    }

    /// The new Job is created when the live one is gone.
    fn after(&self, old: &LiveJob, how: Replacement) -> Fate {
        match self.idle(true) {
            _ if old.state.is_running() => Fate::live(Outcome::KilledAndRuns, LiveReason::Replaced(how)),
            Some(idle) => idle,
            None => Fate::live(Outcome::RunsAgain, LiveReason::Replaced(how)),
        }
    }

    /// The new Job is applied to the live one, and accepted; or the sync skips it, and `is_touched` is false.
    fn onto(&self, old: &LiveJob, is_touched: bool) -> Fate {
        let is_awaited = self.is_awaited && is_touched;
        let waits = || Some(Stop { moment: self.report.moment, why: Halt::Suspended }).filter(|_| is_awaited);
        let (why, stop) = match old.state {
            LiveState::Running { .. } if self.suspends(old) => {
                return Fate::live(Outcome::Killed, LiveReason::Replaced(Replacement::Suspended)).with_stop(waits());
            }
            LiveState::Suspended if !self.suspends(old) => return Fate::new(Outcome::Resumes, []),
            LiveState::Suspended => (None, waits()),
            LiveState::Complete { .. } if gate::is_gate(self.new) => (Some(LiveReason::GateIsDone), None),
            LiveState::Failed { .. } => {
                (Some(self.remedy(old)), Stop::failing(self.report.moment).filter(|_| is_awaited))
            }
            _ => (None, None),
        };
        let is_kept = why != Some(LiveReason::NextSyncRuns) && old.state.has_ended();
        let ttl = self.ttl(old).filter(|_| is_kept).map(LiveReason::RunsAfterItsTtl);
        let unseen = self.report.hash.is_none() && old.applied.is_none();
        let unseen = unseen.then_some(LiveReason::RemovalsUnseen);
        let why = why.into_iter().chain(ttl).chain(unseen);
        Fate::new(Outcome::Untouched, why.map(Reason::Live)).with_stop(stop)
    }

    fn remedy(&self, old: &LiveJob) -> LiveReason {
        if self.new.is_hook() && self.new.is_deleted_only_after_failure() {
            return LiveReason::NextSyncRuns;
        }
        let strategy = self.report.job.map(|job| self.version.survey.plan.jobs[job].outcome.decision.strategy);
        let (namespace, name) = (old.namespace.clone(), old.name.clone());
        LiveReason::RunsAgain { by_rerun: strategy == Some(Strategy::HashName), namespace, name }
    }

    /// Whether the Job is suspended when the new one is applied.
    fn suspends(&self, old: &LiveJob) -> bool {
        let of = |job: &Job| job.value().at(&["spec", "suspend"]).filter(|value| **value != Value::Null).cloned();
        match of(self.new) {
            Some(suspend) => suspend == Value::Bool(true),
            None => old.job.is_suspended() && old.applied.as_ref().and_then(of).is_none(),
        }
    }

    /// The TTL when the new Job is applied to the live one.
    fn ttl(&self, old: &LiveJob) -> Option<i64> {
        let is_removed = old.applied.as_ref().is_some_and(|applied| applied.ttl().is_some());
        self.new.ttl().or_else(|| old.job.ttl().filter(|_| !is_removed))
    }

    /// Whether a sync applies the Job, although `ApplyOutOfSyncOnly=true` may skip unchanged ones.
    fn touches(&self, old: &LiveJob) -> bool {
        if !self.application.skips_unchanged() || self.new.is_hook() {
            return true;
        }
        match old.last_manifest(self.new) {
            Some(applied) => !self.application.seen(&applied, self.new).is_empty(),
            None => self.application.differs_live(&old.job, self.new),
        }
    }
}
