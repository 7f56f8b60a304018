//! `job-version`

use goyaml::path;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "job-version",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job whose API version is not `batch/v1`",
    why: "The API server has Jobs in `batch/v1` only; `batch/v1beta1`, which was removed in Kubernetes 1.25, had \
          CronJobs. Argo CD knows the health of Jobs in `batch/v1` only (`gitops-engine/pkg/health/health_job.go`).",
    fix: "Write `apiVersion: batch/v1`.",
    link: "https://kubernetes.io/docs/reference/using-api/deprecation-guide/",
    example: super::example!("job-version"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs = context.objects().filter(|(_, object)| object.kind() == "Job");
    let versions = jobs.filter_map(|(index, object)| Some((index, object.value().text_at(&["apiVersion"])?)));
    let others = versions.filter(|(_, version)| is_of_kubernetes(version) && *version != "batch/v1");
    others
        .map(|(index, version)| {
            let message = format!("the API version `{version}` has no Jobs: the sync fails");
            Diagnostic::at(index, path!["apiVersion"], message, "set `apiVersion: batch/v1` on the Job")
        })
        .collect()
}

/// Whether the API group is one of Kubernetes itself: all other groups have a dot in their names. A document with two slashes is `unreadable`.
fn is_of_kubernetes(version: &str) -> bool {
    version.split_once('/').is_none_or(|(group, version)| !group.contains('.') && !version.contains('/'))
}
