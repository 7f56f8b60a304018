//! One of the two versions of the manifests in a comparison.

use super::{JobReport, Report};
use crate::argocd::Version;
use crate::survey::Survey;

/// One of the two versions in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'v> {
    /// The plan and the objects.
    pub survey: &'v Survey<'v>,
    /// What the preview shows of this version alone.
    pub report: &'v Report,
    /// Whether `generate` writes a trigger ConfigMap if the Application's name is known.
    pub has_trigger: bool,
    /// The version of Argo CD for which the verdicts hold.
    pub argocd_version: Version,
}

/// The namespace and the written name of a Job.
pub(super) type Key = (String, String);

/// The key by which a Job of one version is found in the other.
pub(super) fn key(job: &JobReport, version: Snapshot<'_>) -> Key {
    (job.namespace.clone().unwrap_or_default(), written(job, version))
}

/// The name that the user wrote.
pub(super) fn written(job: &JobReport, version: Snapshot<'_>) -> String {
    let plan = &version.survey.plan.jobs[job.job];
    plan.outcome.input_name.as_ref().map_or_else(|| job.written.clone(), |written| written.name.clone())
}
