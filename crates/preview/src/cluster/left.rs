//! The live Jobs of an Application that its source does not have.

use std::collections::BTreeSet;

use kube_jobs::argocd::Phase;

use super::verdict::{How, LiveVerdict};
use super::{Cluster, LiveJob, Row, State};
use crate::live::{Leftover, Live};
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use crate::when::ByApplication;

/// The annotation by which Argo CD knows the objects of an Application (`util/argo/resource_tracking.go`).
const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
/// The label by which it does if it is configured so, and by default before 3.0.
const INSTANCE: &str = "app.kubernetes.io/instance";

/// The rows of these Jobs, without the Jobs in `known`; and how many Jobs may be such ones, if the Application's name is not known.
pub(super) fn rows(
    cluster: &Cluster,
    known: &BTreeSet<(&String, &String)>,
    version: Snapshot<'_>,
    application: ByApplication<'_>,
    stop: Option<Stop>,
) -> (Vec<Row>, usize) {
    let is_annotated = cluster.is_annotated();
    let others =
        || cluster.jobs.iter().filter(|job| !known.contains(&(&job.namespace, &job.name)) && !job.job.is_owned());
    let Some(name) = &version.survey.application.name else {
        return (Vec::new(), others().filter(|job| instance(job, is_annotated).is_some()).count());
    };
    let left = others().filter(|job| instance(job, is_annotated) == Some(name));
    let row = |job: &LiveJob| Row {
        namespace: Some(job.namespace.clone()),
        name: job.name.clone(),
        place: job.place.clone(),
        state: Some(job.state.clone()),
        ttl: job.job.ttl(),
        verdict: verdict(job, application, stop),
    };
    (left.map(row).collect(), 0)
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

fn verdict(job: &LiveJob, application: ByApplication<'_>, stop: Option<Stop>) -> LiveVerdict {
    let leftover = Leftover::of(&job.job, Live::There, application);
    let is_deleted = matches!(leftover, Leftover::Pruned | Leftover::IfPruned);
    // Argo CD prunes in the phase Sync.
    let before = stop.filter(|stop| stop.moment.is_none_or(|moment| moment.phase == Phase::PreSync));
    let verdict = match job.state {
        State::Running { .. } if is_deleted => LiveVerdict::Kills(How::Left(leftover)),
        _ => LiveVerdict::Left(leftover),
    };
    match before {
        Some(Stop { why, .. }) if is_deleted => LiveVerdict::Blocked(Box::new(verdict), why),
        _ => verdict,
    }
}
