//! The Jobs of a cluster, as `kubectl get jobs -o json` prints them, and what a sync does to them.
//!
//! Other kinds are skipped without reading their values. Of a Job, only names, images, times and reasons are ever shown: everything else can be a
//! secret.

mod job;
mod judge;
mod left;
mod managed;
mod meeting;
mod read;
mod reason;

use super::forecast::{End, Forecast, ForecastRow, Outcome, WayOut};
use super::stop::Stop;
pub use job::{LiveJob, LiveState};
pub(crate) use judge::judge;
pub use reason::{LiveReason, NotKnown, Replacement};

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
    /// Such Jobs do not exist.
    Yes,
    /// Such Jobs do not exist, or they are hooks: `argocd app manifests --source live` leaves hooks out.
    WithoutHooks,
    /// Nothing: somebody asked for one object.
    One,
}

/// What a sync does to the Jobs of a cluster.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The Jobs of the source in the order of a sync, then the live ones that the source does not have.
    pub jobs: Vec<JudgedJob>,
    /// Where the sync certainly ends or waits, if it does.
    pub stop: Option<Stop>,
    /// Live Jobs that may be the Application's, whose name is unknown.
    pub strangers: usize,
}

/// One Job, in the source or in the cluster.
#[derive(Clone, Debug)]
pub struct JudgedJob {
    /// What the sync does with it. The object has the name of the cluster, with `…` at the end for a `generateName`.
    pub row: ForecastRow,
    /// What a sync does with it that comes to it.
    pub if_reached: Outcome,
}

impl Judged {
    /// What the sync does, without other objects than Jobs.
    pub fn forecast(&self) -> Forecast {
        Forecast {
            is_live: true,
            end: self.stop.map(|stop| End { stop, rest: None, way_out: WayOut::Unknown }),
            ..Forecast::of(self.jobs.iter().map(|job| job.row.clone()).collect())
        }
    }
}

impl JudgedJob {
    /// `shop/migrate`, or the name where no namespace is known.
    pub fn full_name(&self) -> String {
        let namespace = self.row.object.namespace.as_deref();
        namespace.map_or_else(String::new, |namespace| format!("{namespace}/")) + &self.row.object.name
    }
}
