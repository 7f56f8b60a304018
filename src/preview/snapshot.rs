//! One of the two versions of the manifests in a comparison.

use super::{JobReport, Kind, Report};
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

/// The kind, the namespace and the written name of a Job or hook.
pub(super) type Key = (Kind, String, String);

/// The key by which a Job or hook of one version is found in the other.
pub(super) fn key(job: &JobReport, version: Snapshot<'_>) -> Key {
    (job.kind.clone(), job.namespace.clone().unwrap_or_default(), written(job, version))
}

/// The name that the user wrote.
pub(super) fn written(job: &JobReport, version: Snapshot<'_>) -> String {
    let plan = job.job.map(|plan| &version.survey.plan.jobs[plan]);
    let input_name = plan.and_then(|plan| plan.outcome.input_name.as_ref());
    input_name.map_or_else(|| job.written.clone(), |written| written.name.clone())
}
