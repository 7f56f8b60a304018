//! Where a sync ends because something in it fails, or waits without an end: what comes later is not applied.

use std::collections::BTreeSet;

use kube_jobs::argocd::Phase;
use lint::survey::sync_order::Moment;

use super::by_application::ByApplication;
use super::steps::Step;
use super::when::{Rejection, When};

/// Where a sync ends or waits. The sync reaches the smaller one of two first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// The wave; none if nothing is applied, because the comparison or the dry run of all objects fails (`Sync` in
    /// `gitops-engine/pkg/sync/sync_context.go`).
    pub moment: Option<Moment>,
    /// Why it ends or waits.
    pub why: Halt,
}

/// Why a sync ends or waits, in the order in which this happens within a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Halt {
    /// It waits until pruning is confirmed, before it applies anything in the wave.
    Confirmation,
    /// It does not start: the comparison fails, and the Application has a ComparisonError (`CompareAppState` in `controller/state.go`).
    Comparison,
    /// It fails. The other objects of the wave are applied, and the SyncFail hooks.
    Failure,
    /// It waits for a suspended Job. The other objects of the wave are applied.
    Suspended,
}

/// How many objects a sync that ends or waits applies besides the objects that make it fail, and how many it does not come to. SyncFail hooks do not
/// count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// The applied ones.
    pub applied: usize,
    /// The others.
    pub left_out: usize,
}

impl Rest {
    /// Counts the objects of a sync with these waves, in which objects fail at these moments.
    pub(super) fn of(stop: Stop, steps: &[Step], failing: impl Iterator<Item = Moment>) -> Self {
        let steps = steps.iter().filter(|step| step.phase != Phase::SyncFail);
        let is_reached = |step: &&Step| stop.reaches(step.moment());
        let (reached, others): (Vec<&Step>, Vec<&Step>) = steps.partition(is_reached);
        let objects = |steps: Vec<&Step>| -> BTreeSet<usize> {
            steps.into_iter().flat_map(|step| &step.entries).map(|entry| entry.object).collect()
        };
        let (reached, others) = (objects(reached), objects(others));
        let failing = failing.filter(|moment| stop.reaches(*moment)).count();
        Self { applied: reached.len().saturating_sub(failing), left_out: others.difference(&reached).count() }
    }
}

impl Stop {
    /// The dry run of all objects fails, so that nothing is applied.
    pub(super) const NOTHING: Self = Self { moment: None, why: Halt::Failure };

    /// The comparison fails.
    const COMPARISON: Self = Self { moment: None, why: Halt::Comparison };

    /// Where a Job that runs at these times, and is first applied at `moment`, makes every sync end or wait that applies it; none for other Jobs.
    /// `is_awaited` says whether the sync waits for the Job while it is suspended.
    pub(super) fn by(when: &When, moment: Option<Moment>, is_awaited: bool) -> Option<Self> {
        match when {
            When::Rejected(Rejection::GenerateName) => Some(Self::NOTHING),
            When::Rejected(Rejection::InComparison) => Some(Self::COMPARISON),
            When::Rejected(Rejection::Invalid | Rejection::ForceOnServer) => Self::failing(moment),
            When::FailsUnchanged(then) if **then == When::Baseline => Self::failing(moment),
            When::Suspended(then) if is_awaited && **then != When::FailedSync => {
                Some(Self { moment, why: Halt::Suspended })
            }
            _ => None,
        }
    }

    /// Where a sync fails because of a refused update: in the comparison if it is a server-side diff, otherwise in the wave of the object. The
    /// dry run before a sync runs on the client and does not notice it (`applyObject`).
    pub(super) fn by_update(moment: Option<Moment>, application: ByApplication<'_>) -> Option<Self> {
        let in_comparison = application.has_server_side_diff().then_some(Self::COMPARISON);
        in_comparison.or_else(|| Self::failing(moment))
    }

    /// A failure in this wave; none in SyncFail, because the sync has failed already.
    pub(super) fn failing(moment: Option<Moment>) -> Option<Self> {
        let moment = moment.filter(|moment| moment.phase != Phase::SyncFail)?;
        Some(Self { moment: Some(moment), why: Halt::Failure })
    }

    /// Whether a sync that ends or waits here applies the objects of `moment`.
    pub fn reaches(self, moment: Moment) -> bool {
        match (self.moment, self.why) {
            (None, _) | (_, Halt::Comparison) => false,
            (Some(end), Halt::Confirmation) => moment < end,
            (Some(end), Halt::Suspended) => moment <= end,
            (Some(end), Halt::Failure) => moment <= end || self.runs_hooks_for(moment.phase),
        }
    }

    /// Whether a sync that ends or waits here still comes to where it would otherwise end or wait: only then that happens too.
    pub(super) fn meets(self, other: Self) -> bool {
        other.moment.map_or(other == self, |moment| self.reaches(moment))
    }

    /// Whether a sync that ends so does not come to something that is first applied at `moment`, because that is after a failure.
    pub(super) fn spares(stop: Option<Self>, moment: Option<Moment>) -> bool {
        let is_after_failure = moment.is_some_and(|moment| moment.phase == Phase::SyncFail);
        is_after_failure && !stop.is_some_and(|stop| stop.runs_hooks_for(Phase::SyncFail))
    }

    /// Whether this is a failed wave, after which the hooks of the phase run: SyncFail (`setOperationFailed`).
    pub fn runs_hooks_for(self, phase: Phase) -> bool {
        phase == Phase::SyncFail && self.why == Halt::Failure && self.moment.is_some()
    }
}
