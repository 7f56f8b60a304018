//! Why a sync does something with a live Job.

use kube_jobs::kubernetes::Difference;
use text::Time;

use super::LiveState;

/// A reason that only the cluster gives.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveReason {
    /// There is no live Job of its name.
    NotThere,
    /// The source does not have it.
    NotInSource,
    /// It gets a new name each time.
    NewName,
    /// The state of the live Job, and the time from which its age is counted.
    State(LiveState, Option<Time>),
    /// The live Job is deleted, or its pods are.
    Replaced(Replacement),
    /// The API server refuses the update of these fields. Their values can be secrets.
    Immutable(Vec<Difference>),
    /// It is a gate that has succeeded.
    GateIsDone,
    /// The live Job has failed, and runs again when somebody deletes it, or changes `rerun` where `by_rerun` says so.
    RunsAgain {
        /// Whether a new value of `rerun` runs it.
        by_rerun: bool,
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
    },
    /// The sync fails because of the failed Job and deletes it (`HookFailed`), so that the next one runs it.
    NextSyncRuns,
    /// Its TTL, in seconds, deletes it, and then a sync runs it again.
    RunsAfterItsTtl(i64),
    /// Its TTL, in seconds, deletes it.
    Expires(i64),
    /// It is unknown what is only removed from the manifest, because nothing says what was applied last.
    RemovalsUnseen,
    /// Nobody knows what the sync does.
    NotKnown(NotKnown),
}

/// How a sync ends a live Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
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
}

/// Why nobody knows what a sync does with a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotKnown {
    /// The live Job is being deleted.
    Deleting,
    /// The input is one object, and not a list of all Jobs.
    OneObject,
    /// It is a hook, and the input has no hooks.
    NoHooks,
    /// The input has no Job of its namespace, only of another one.
    OtherNamespace,
}
