//! Where a sync ends because something in it fails: what comes later is not applied.

use super::verdict::Verdict;
use super::when::{ByApplication, Rejection, When};
use crate::argocd::Phase;
use crate::survey::sync_order::Moment;

/// Where a sync ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Before anything is applied: in the comparison, or in the dry run of all objects (`Sync` in
    /// `gitops-engine/pkg/sync/sync_context.go`).
    Before,
    /// In this wave, whose other objects are applied.
    In(Moment),
}

impl Stop {
    /// Where a Job ends every sync that applies it first at `moment`; none when it ends none.
    pub(super) fn by(when: &When, moment: Option<Moment>) -> Option<Self> {
        match when {
            When::Rejected(Rejection::GenerateName) => Some(Self::Before),
            When::Rejected(Rejection::Invalid) => Self::at(moment),
            When::FailsUnchanged(then) if **then == When::Baseline => Self::at(moment),
            _ => None,
        }
    }

    /// The same of a Job of a comparison.
    pub(super) fn by_verdict(verdict: &Verdict, moment: Option<Moment>, application: ByApplication) -> Option<Self> {
        match verdict {
            Verdict::Fails(_) if application.has_server_side_diff => Some(Self::Before),
            Verdict::Fails(_) => Self::at(moment),
            Verdict::New(when) | Verdict::DoesNotRun { when, .. } => Self::by(when, moment),
            _ => None,
        }
    }

    /// In the wave of that moment. A hook that runs when a sync has failed ends none.
    fn at(moment: Option<Moment>) -> Option<Self> {
        moment.filter(|moment| moment.phase != Phase::SyncFail).map(Self::In)
    }

    /// Whether a sync that ends here applies what belongs to `moment`.
    pub fn reaches(self, moment: Moment) -> bool {
        match self {
            Self::Before => false,
            // After a failed wave the hooks for that are run.
            Self::In(end) => moment <= end || moment.phase == Phase::SyncFail,
        }
    }
}
