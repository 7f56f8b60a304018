//! The live Jobs of an Application that its source does not have.

use std::collections::BTreeSet;

use kube_jobs::argocd::Phase;
use lint::survey::sync_order::Moment;

use super::job::{INSTANCE, TRACKING_ID};
use super::verdict::{How, LiveVerdict};
use super::{Cluster, LiveJob, Row, State};
use crate::by_application::ByApplication;
use crate::live::{Leftover, Live};
use crate::snapshot::Snapshot;
use crate::starts;
use crate::stop::{Halt, Stop};

/// These Jobs.
pub(super) struct Left<'c> {
    /// Each with the moment when a sync prunes it, as far as the Jobs alone decide it; none for a hook, which no sync prunes.
    jobs: Vec<(&'c LiveJob, Option<Moment>)>,
    /// How many others may be such ones, if the Application's name is not known.
    pub(super) strangers: usize,
}

impl<'c> Left<'c> {
    /// Of the live Jobs that are not in `known`.
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

    /// Their rows, for a sync that ends or waits at `stop`.
    pub(super) fn rows(self, application: ByApplication<'_>, stop: Option<Stop>) -> impl Iterator<Item = Row> {
        self.jobs.into_iter().map(move |(job, moment)| Row {
            namespace: Some(job.namespace.clone()),
            name: job.name.clone(),
            place: job.place.clone(),
            state: Some(job.state.clone()),
            ttl: job.job.ttl(),
            misses_removals: false,
            verdict: verdict(job, application, stop.filter(|stop| !may_prune(*stop, moment))),
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
    /// The name of the Application that the live Job of a row belongs to, if it says so.
    pub fn owner(&self, row: &Row) -> Option<&str> {
        let is_it = |job: &&LiveJob| row.namespace.as_ref() == Some(&job.namespace) && row.name == job.name;
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

/// `stop` is where the sync ends or waits before it prunes the Job, if it does.
fn verdict(job: &LiveJob, application: ByApplication<'_>, stop: Option<Stop>) -> LiveVerdict {
    let leftover = Leftover::of(&job.job, Live::There, application);
    let is_deleted = matches!(leftover, Leftover::Pruned | Leftover::IfPruned);
    let verdict = match job.state {
        State::Running { .. } if is_deleted => LiveVerdict::Kills(How::Left(leftover)),
        _ => LiveVerdict::Left(leftover),
    };
    match stop {
        Some(Stop { why, .. }) if is_deleted => LiveVerdict::Blocked(Box::new(verdict), why),
        _ => verdict,
    }
}
