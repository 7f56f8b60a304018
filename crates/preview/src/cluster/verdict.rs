//! What a sync does to a Job, given what is in the cluster: a closed list, and the table from which its document is made.

use kube_jobs::kubernetes::Difference;

use crate::{Halt, Leftover, When};

/// What a sync does to a Job.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveVerdict {
    /// It runs, for this reason.
    Runs(&'static str),
    /// The sync deletes the live Job, which has ended or never ran, and runs the new one.
    RunsAgain(How),
    /// The sync ends the pods of the live Job.
    Kills(How),
    /// Nothing.
    Nothing,
    /// Nothing, although the live Job has failed.
    NothingFailed(Remedy),
    /// Nothing: it is a gate that has succeeded.
    GateDone,
    /// The sync fails.
    Refused(Refusal),
    /// It does not run, although it is a hook: the sync prunes the ordinary Job of its name, and Argo CD takes that for the run of the hook.
    Trapped,
    /// A live Job of the Application that the source does not have.
    Left(Leftover),
    /// It does not run, whatever is in the cluster; when it does.
    DoesNotRun(When),
    /// The sync fails or waits before it; the verdict without that.
    Blocked(Box<Self>, Halt),
    /// Nobody knows, for this reason.
    Unknown(&'static str),
}

/// How a sync ends a live Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is a hook with `BeforeHookCreation`.
    Hook,
    /// `Replace=true` and `Force=true`.
    Replaced,
    /// `Force=true`, because the update is refused.
    Forced,
    /// It is pruned, and a hook of its name runs after that.
    Pruned,
    /// It is suspended.
    Suspended,
    /// It is not in the source any more.
    Left(Leftover),
}

/// What runs a failed Job again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A new value of `rerun`; or deleting it.
    Rerun,
    /// Deleting it.
    Delete,
    /// The sync, which fails, and deletes it (`HookFailed`).
    NextSync,
}

/// Why a sync fails at a Job.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// These fields are immutable.
    Immutable(Vec<Difference>),
    /// `Replace=true` alone fails on every live Job.
    ReplaceAlone,
    /// It is a hook that is applied while the sync still deletes the ordinary Job of its name.
    Pruned,
}

/// A verdict of the closed list: for the document, and the word for it in JSON.
#[derive(Clone, Copy, Debug)]
pub struct LiveVerdictRow {
    /// The word in JSON.
    pub id: &'static str,
    /// What the preview says.
    pub says: &'static str,
    /// When it says that.
    pub when: &'static str,
}

/// The verdicts, in the order of the variants.
pub const LIVE_VERDICTS: [LiveVerdictRow; 12] = [
    row("runs", "runs", "there is no Job of its name, or it is suspended and the sync resumes it"),
    row(
        "runs-again",
        "is deleted and runs",
        "a hook with `BeforeHookCreation`, or a Job with `Force=true`, whose live Job does not run",
    ),
    row(
        "kills",
        "is killed while it runs",
        "the same of a live Job that runs; also a running Job that the sync prunes or suspends",
    ),
    row("nothing", "does nothing", "the live Job is complete, still runs, or stays suspended"),
    row("nothing-failed", "does nothing although it failed", "the live Job has failed; what runs it again follows"),
    row("gate-done", "is a gate that is done", "a [gate](strategies.md#gates) whose Job is complete"),
    row(
        "refused",
        "makes the sync fail",
        "the API server refuses the update, usually with `field is immutable`; the fields follow",
    ),
    row(
        "trapped",
        "does not run, although the sync succeeds",
        "an ordinary live Job that becomes a Sync hook of the same name",
    ),
    row(
        "left",
        "is not in the source",
        "a live Job of the Application that the source does not have, or not under this name; what becomes of it follows",
    ),
    row(
        "does-not-run",
        "does not run",
        "no sync applies it, or not this one: `Skip`, a SyncFail hook, an invalid or suspended Job",
    ),
    row("not-reached", "is not reached", "the sync fails or waits before it"),
    row("unknown", "is unknown", "the input does not show it, or the live Job is just being deleted"),
];

const fn row(id: &'static str, says: &'static str, when: &'static str) -> LiveVerdictRow {
    LiveVerdictRow { id, says, when }
}

impl LiveVerdict {
    /// Its row in the table.
    pub fn row(&self) -> &'static LiveVerdictRow {
        let index = match self {
            Self::Runs(_) => 0,
            Self::RunsAgain(_) => 1,
            Self::Kills(_) => 2,
            Self::Nothing => 3,
            Self::NothingFailed(_) => 4,
            Self::GateDone => 5,
            Self::Refused(_) => 6,
            Self::Trapped => 7,
            Self::Left(_) => 8,
            Self::DoesNotRun(_) => 9,
            Self::Blocked(..) => 10,
            Self::Unknown(_) => 11,
        };
        &LIVE_VERDICTS[index]
    }

    /// The verdict without what comes before it.
    pub fn reached(&self) -> &Self {
        match self {
            Self::Blocked(verdict, _) => verdict.reached(),
            verdict => verdict,
        }
    }

    /// Whether the Job makes the sync fail, or does not run although its manifest says that it does.
    pub fn is_an_error(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Trapped | Self::DoesNotRun(When::Rejected(_)))
    }
}
