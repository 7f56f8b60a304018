//! Where a sync ends because something in it fails, or waits without an end: what comes later is not applied.

use super::JobReport;
use super::verdict::Verdict;
use super::when::{ByApplication, Rejection, When};
use crate::argocd::Phase;
use crate::survey::sync_order::Moment;

/// Where a sync goes no further. Of two the smaller one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// The wave; none when nothing is applied: it fails in the comparison, or in the dry run of all objects (`Sync` in
    /// `gitops-engine/pkg/sync/sync_context.go`).
    pub moment: Option<Moment>,
    /// Why it goes no further.
    pub why: Halt,
}

/// Why a sync goes no further, in the order in which it comes to them in a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Halt {
    /// It waits until pruning is confirmed, before it applies anything in the wave.
    Confirmation,
    /// It fails. The other objects of the wave are applied, and the hooks for a failed sync.
    Failure,
    /// It waits for a suspended Job. The other objects of the wave are applied.
    Suspended,
}

impl Halt {
    /// `fails` or `waits`
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Failure => "fails",
            Self::Confirmation | Self::Suspended => "waits",
        }
    }
}

impl Stop {
    /// Where a Job ends every sync that applies it first at its moment; none when it ends none.
    pub(super) fn by(job: &JobReport) -> Option<Self> {
        let JobReport { when, moment, .. } = job;
        match when {
            When::Rejected(Rejection::GenerateName) => Some(Self { moment: None, why: Halt::Failure }),
            When::Rejected(Rejection::Invalid | Rejection::ForceOnServer) => Self::failing(*moment),
            When::FailsUnchanged(then) if **then == When::Baseline => Self::failing(*moment),
            When::Suspended(_) if job.is_awaited => Some(Self { moment: *moment, why: Halt::Suspended }),
            _ => None,
        }
    }

    /// The same of a Job of a comparison with this verdict.
    pub(super) fn by_verdict(verdict: &Verdict, job: &JobReport, application: ByApplication<'_>) -> Option<Self> {
        match verdict {
            Verdict::Fails(_) => Self::by_update(job.moment, application),
            // What is not there is created, and not replaced.
            Verdict::New(When::FailsUnchanged(_)) => None,
            Verdict::New(_) | Verdict::DoesNotRun { .. } => Self::by(job),
            _ => None,
        }
    }

    /// An update that is refused: in its wave, or in the comparison where the API server makes that. The dry run before a sync is one of
    /// the client, which does not see it (`applyObject`).
    pub(super) fn by_update(moment: Option<Moment>, application: ByApplication<'_>) -> Option<Self> {
        let in_comparison = application.has_server_side_diff().then_some(Self { moment: None, why: Halt::Failure });
        in_comparison.or_else(|| Self::failing(moment))
    }

    /// It fails in the wave of that moment. A hook that runs when a sync has failed ends none.
    pub(super) fn failing(moment: Option<Moment>) -> Option<Self> {
        let moment = moment.filter(|moment| moment.phase != Phase::SyncFail)?;
        Some(Self { moment: Some(moment), why: Halt::Failure })
    }

    /// Whether a sync that ends here applies what belongs to `moment`.
    pub fn reaches(self, moment: Moment) -> bool {
        match (self.moment, self.why) {
            (None, _) => false,
            (Some(end), Halt::Confirmation) => moment < end,
            (Some(end), Halt::Suspended) => moment <= end,
            (Some(end), Halt::Failure) => moment <= end || self.runs_hooks_for(moment.phase),
        }
    }

    /// Whether the hooks of a phase run because the sync ends here: those of SyncFail, when a wave fails (`setOperationFailed`).
    pub fn runs_hooks_for(self, phase: Phase) -> bool {
        phase == Phase::SyncFail && self.why == Halt::Failure && self.moment.is_some()
    }
}
