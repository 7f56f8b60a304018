//! What a sync does with one object.

use lint::survey::sync_order::Absence;

use crate::{Leftover, Verdict, When};

/// What the next sync does with an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It runs.
    Runs,
    /// It runs once more.
    RunsAgain,
    /// It starts because it is no longer suspended.
    Resumes,
    /// It is applied: it keeps running, or starts something later.
    Applied,
    /// The sync does nothing to the live Job.
    Untouched,
    /// The sync ends the pods of the live Job.
    Killed,
    /// The sync ends the pods of the live Job, and runs it again.
    KilledAndRuns,
    /// It is unknown.
    Unknown,
    /// It makes the sync fail.
    Fails,
    /// It should run, and does not.
    Lost,
    /// Its pods cannot start.
    CannotStart,
    /// The sync fails or waits before it.
    NotReached,
    /// The sync waits for it.
    Waits,
    /// It is suspended, and the sync does not wait for it.
    Suspended,
    /// It does not run.
    Idle,
    /// It runs only if the sync fails.
    IfSyncFails,
    /// No sync applies it.
    Never,
    /// It runs when the Application is deleted.
    AtDeletion,
    /// It is deleted.
    Deleted,
    /// It is deleted if prune is on.
    DeletedIfPruned,
    /// It stays in the cluster.
    Stays,
    /// It is not in the cluster any more.
    Gone,
    /// What its manifest says: what is in the cluster is unknown.
    AsWritten(When),
}

impl Outcome {
    /// What a sync does with a Job of this verdict, before what the sync waits for and what the Job needs is looked at.
    pub(crate) fn of_verdict(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::New(when) => Self::without_a_run(when).unwrap_or(Self::Runs),
            Verdict::DoesNotRun { when, .. } => Self::without_a_run(when).unwrap_or(Self::Idle),
            Verdict::EverySync { .. } | Verdict::AfterFailure(_) => Self::Runs,
            Verdict::Skipped(_) => Self::Idle,
            Verdict::RunsAgain(_) => Self::RunsAgain,
            Verdict::Resumes(_) => Self::Resumes,
            Verdict::Fails(_) | Verdict::Collides(_) => Self::Fails,
            Verdict::Trapped(_) => Self::Lost,
            Verdict::Blocked(..) => Self::NotReached,
            Verdict::Gone(leftover) => Self::of_leftover(*leftover),
        }
    }

    /// The outcome of a Job that this sync does not run; none for a Job that this sync runs.
    pub(crate) fn without_a_run(when: &When) -> Option<Self> {
        match when {
            When::Never(Absence::Deletion) => Some(Self::AtDeletion),
            When::Never(_) => Some(Self::Never),
            When::Rejected(_) => Some(Self::Fails),
            When::Suspended(_) => Some(Self::Suspended),
            When::FailedSync => Some(Self::IfSyncFails),
            _ => None,
        }
    }

    /// The outcome of an object that the new version does not have.
    pub(crate) fn of_leftover(leftover: Leftover) -> Self {
        match leftover {
            Leftover::Pruned | Leftover::WithApplication => Self::Deleted,
            Leftover::IfPruned => Self::DeletedIfPruned,
            Leftover::Confirmed => Self::Waits,
            Leftover::Nothing => Self::Gone,
            Leftover::RunsAtDeletion => Self::AtDeletion,
            Leftover::CannotRun => Self::Lost,
            Leftover::HasRun => Self::Idle,
            Leftover::Left | Leftover::Kept | Leftover::OutOfSync | Leftover::Hook | Leftover::WithoutApplication => {
                Self::Stays
            }
        }
    }
}
