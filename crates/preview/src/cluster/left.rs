//! The live Jobs of an Application that its source does not have.

use std::collections::BTreeSet;

use kube_jobs::argocd::Phase;
use lint::survey::sync_order::Moment;
use text::Time;

use super::job::{INSTANCE, TRACKING_ID};
use super::{Cluster, JudgedJob, LiveJob, LiveReason, LiveState};
use crate::by_application::ByApplication;
use crate::forecast::{ForecastRow, ManifestChange, Outcome, Reason};
use crate::kind::{Kind, ObjectName};
use crate::live::{Leftover, Live};
use crate::snapshot::Snapshot;
use crate::starts;
use crate::stop::{Halt, Stop};

/// The live Jobs that the source does not have.
pub(super) struct Left<'c> {
    /// Each Job with the moment when a sync prunes it, as far as the Jobs alone decide it; none for a hook, which no sync prunes.
    jobs: Vec<(&'c LiveJob, Option<Moment>)>,
    /// The number of other Jobs that may belong to the Application, if the Application's name is unknown.
    pub(super) strangers: usize,
}

impl<'c> Left<'c> {
    /// Collects the live Jobs that are not in `known`.
    pub(super) fn of(cluster: &'c Cluster, known: &BTreeSet<(&String, &String)>, version: Snapshot<'_>) -> Self {
        let is_annotated = cluster.is_annotated();
        let others =
            || cluster.jobs.iter().filter(|job| !known.contains(&(&job.namespace, &job.name)) && !job.job.is_owned());
        let Some(name) = &version.survey.application.name else {
            let strangers = others().filter(|job| instance(job, is_annotated).is_some()).count();
            return Self { jobs: Vec::new(), strangers };
        };
        let left: Vec<&LiveJob> = others().filter(|job| instance(job, is_annotated) == Some(name)).collect();
        let ordinary = left.iter().map(|job| &*job.job).filter(|job| !job.is_hook());
        let mut moments = starts::when_pruned(ordinary, version).into_iter();
        let with_moment = |job: &'c LiveJob| (job, if job.job.is_hook() { None } else { moments.next() });
        Self { jobs: left.into_iter().map(with_moment).collect(), strangers: 0 }
    }

    /// Where the sync waits until somebody confirms that one of them is deleted; none if it does not wait.
    pub(super) fn stop(&self, application: ByApplication<'_>) -> Option<Stop> {
        let is_confirmed = |job: &LiveJob| Leftover::of(&job.job, Live::There, application) == Leftover::Confirmed;
        let moments = self.jobs.iter().filter(|(job, _)| is_confirmed(job)).filter_map(|(_, moment)| *moment);
        moments.min().map(|moment| Stop { moment: Some(moment), why: Halt::Confirmation })
    }

    /// What happens to them, in a sync that ends or waits at `stop`.
    pub(super) fn judged(
        self,
        application: ByApplication<'_>,
        stop: Option<Stop>,
        now: Option<&Time>,
    ) -> impl Iterator<Item = JudgedJob> {
        self.jobs.into_iter().map(move |(job, moment)| {
            let leftover = Leftover::of(&job.job, Live::There, application);
            let is_deleted = matches!(leftover, Leftover::Pruned | Leftover::IfPruned);
            let outcome = match job.state {
                LiveState::Running { .. } if is_deleted => Outcome::Killed,
                _ => Outcome::of_leftover(leftover),
            };
            let halted =
                stop.filter(|stop| is_deleted && !may_prune(*stop, moment)).map(|stop| Reason::Halted(stop.why));
            let is_killed = outcome == Outcome::Killed;
            let left = if is_killed { Some(Reason::Left(leftover)) } else { Reason::left(leftover) };
            let expires = job.job.ttl().filter(|_| leftover != Leftover::Pruned && job.state.has_ended());
            let live = [LiveReason::NotInSource, LiveReason::State(job.state.clone(), now.cloned())];
            let object =
                ObjectName { kind: Kind::of(&job.job), namespace: Some(job.namespace.clone()), name: job.name.clone() };
            let shown = if halted.is_some() { Outcome::NotReached } else { outcome.clone() };
            let after = [left, expires.map(|ttl| Reason::Live(LiveReason::Expires(ttl)))];
            let after = after.into_iter().flatten().filter(|_| halted.is_none());
            let row = ForecastRow {
                change: ManifestChange::Gone,
                is_hook: job.job.is_hook(),
                why: halted.clone().into_iter().chain(live.map(Reason::Live)).chain(after).collect(),
                ..ForecastRow::live(object, job.place.clone(), shown)
            };
            JudgedJob { row, if_reached: outcome }
        })
    }
}

/// Whether a sync that ends or waits at `stop` may prune a Job at `moment` before that. The waves of the pruning depend on objects that are not Jobs, so only a
/// stop before the phase Sync is certain, and one for a confirmation of the pruning itself.
fn may_prune(stop: Stop, moment: Option<Moment>) -> bool {
    let is_later = stop.moment.is_some_and(|end| end.phase != Phase::PreSync);
    is_later && (stop.why != Halt::Confirmation || moment.is_none_or(|moment| stop.reaches(moment)))
}

impl Cluster {
    /// The name of the Application that a live Job belongs to, if it says so.
    pub fn owner(&self, judged: &JudgedJob) -> Option<&str> {
        let object = &judged.row.object;
        let is_it = |job: &&LiveJob| object.namespace.as_ref() == Some(&job.namespace) && object.name == job.name;
        self.jobs.iter().find(is_it).and_then(|job| instance(job, self.is_annotated()))
    }

    /// Whether Argo CD knows its objects by the annotation. One method holds for all: then the label does not count, which charts set too.
    fn is_annotated(&self) -> bool {
        self.jobs.iter().any(|job| job.job.annotation(TRACKING_ID).is_some())
    }
}

/// The name of the Application that a live Job belongs to. An annotation that was copied from another object does not count.
fn instance(job: &LiveJob, is_annotated: bool) -> Option<&str> {
    if !is_annotated {
        return job.job.value().text_at(&["metadata", "labels", INSTANCE]);
    }
    let (name, rest) = job.job.annotation(TRACKING_ID)?.split_once(':')?;
    (rest == format!("batch/Job:{}/{}", job.namespace, job.name)).then_some(name)
}
