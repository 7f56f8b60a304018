//! The Jobs of a cluster, as `kubectl get jobs -o json` prints them, and what a sync does to them.
//!
//! Other kinds are passed over without reading their values. Of a Job, only names, images, times and reasons are ever shown: everything else can be a
//! secret.

mod job;
mod judge;
mod left;
mod managed;
mod read;
mod sentence;
mod verdict;

use text::Place;

use super::stop::Stop;
pub use job::{LiveJob, State};
pub(crate) use judge::judge;
pub use verdict::{How, LIVE_VERDICTS, LiveVerdict, LiveVerdictRow, Refusal, Remedy};

/// The Jobs of a cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The Jobs, in the order of the text. No two have the same namespace and name.
    pub jobs: Vec<LiveJob>,
    whole: Whole,
}

/// What is known of Jobs that are not in a [`Cluster`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    /// They do not exist.
    Yes,
    /// They do not exist, or they are hooks: `argocd app manifests --source live` leaves hooks out.
    WithoutHooks,
    /// Nothing: somebody asked for one object.
    One,
}

/// What a sync does to the Jobs of a cluster.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The Jobs of the source in the order of a sync, then the live ones that the source does not have.
    pub rows: Vec<Row>,
    /// Where the sync certainly ends or waits, if it does.
    pub stop: Option<Stop>,
    /// Live Jobs that may be the Application's, whose name is not known.
    pub strangers: usize,
}

/// One Job, in the source or in the cluster.
#[derive(Clone, Debug)]
pub struct Row {
    /// The namespace, if it is known.
    pub namespace: Option<String>,
    /// The name as emitted, with `…` at the end for a `generateName`, or that of the live Job.
    pub name: String,
    /// The place in the source, or in the text with the live Jobs.
    pub place: Place,
    /// The state of the live Job. None without a live Job.
    pub state: Option<State>,
    /// The TTL, in seconds, that deletes the live Job when it has ended, if the sync leaves it.
    pub ttl: Option<i64>,
    /// Whether it is not known what is only removed from the manifest of a live Job, because nothing says what was applied last.
    pub misses_removals: bool,
    /// What the sync does.
    pub verdict: LiveVerdict,
}
