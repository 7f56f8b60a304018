//! `missing-template`

use std::collections::BTreeSet;

use goyaml::{Path, Value};
use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::invalid::CONTAINERS;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "missing-template",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job without a pod template, or whose pod template has no containers",
    why: "The API server rejects such a Job: `spec.template.spec.containers: Required value` \
          (`pkg/apis/core/validation/validation.go` in Kubernetes). Often the containers are written one level too \
          high or too low. They belong to `spec.template.spec`.\n\n\
          A file that looks like a patch for another tool does not give the finding: it has a directive `$patch`, \
          `patch` in its path, another Job of the same name beside it, or only annotations, labels or other fields of the \
          `spec`.",
    fix: "Write the containers under `spec.template.spec.containers`. If the file is a patch, list it under `patches` \
          in `kustomization.yaml`, so that it is not read as a manifest.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/#writing-a-job-spec",
    example: super::example!("missing-template"),
    check: Check::Objects(check),
};

/// Paths at which people write the containers by mistake.
const ELSEWHERE: [&[&str]; 4] =
    [&["containers"], &["spec", "containers"], &["spec", "template", "containers"], &["spec", "spec", "containers"]];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // Tools that test a cluster compare its Jobs with Jobs that have a status and little else.
    let is_expected =
        |job: &Job| job.value().at(&["status"]).and_then(Value::as_map).is_some_and(|map| !map.is_empty());
    let without = context.applied_jobs().filter(|(_, job)| missing(job).is_some() && !is_expected(job));
    let without: Vec<(usize, &Job)> = without.collect();
    if without.is_empty() {
        return Vec::new();
    }
    let name = |job: &Job| job.name().or(job.generate_name()).unwrap_or("").to_owned();
    let whole = context.jobs().filter(|(_, job)| missing(job).is_none());
    let whole: BTreeSet<String> = whole.map(|(_, job)| name(job)).collect();
    let is_mistake = |index: usize, job: &Job| {
        elsewhere(job).is_some() || !whole.contains(&name(job)) && !is_piece(index, job, context)
    };
    let found = without.into_iter().filter(|(index, job)| is_mistake(*index, job));
    found.filter_map(|(index, job)| Some(diagnostic(index, job, missing(job)?))).collect()
}

/// The first key on the path to the containers that is missing or empty. None for a Job with containers.
fn missing(job: &Job) -> Option<&'static [&'static str]> {
    let prefixes = (1..=CONTAINERS.len()).map(|length| &CONTAINERS[..length]);
    prefixes.into_iter().find(|path| job.value().at(path).is_none_or(Value::is_empty))
}

fn elsewhere(job: &Job) -> Option<&'static [&'static str]> {
    ELSEWHERE.into_iter().find(|path| job.value().at(path).is_some())
}

/// Whether the Job may be a patch for another tool, by the path of its file or because it sets fields other than the template.
fn is_piece(index: usize, job: &Job, context: &Context<'_>) -> bool {
    let place = context.place(index, &Path::default()).map(|place| place.origin.to_string().to_lowercase());
    let sets = |path: &[&str]| job.value().at(path).and_then(Value::as_map).is_some_and(|map| !map.is_empty());
    let sets_fields = sets(&["spec"]) && job.value().at(&["spec", "template"]).is_none();
    let sets_metadata =
        job.value().at(&["spec"]).is_none() && (sets(&["metadata", "annotations"]) || sets(&["metadata", "labels"]));
    let is_patch = place.is_some_and(|path| path.contains("patch"));
    // An Application applies its own source as it is.
    let may_be_patched = !context.is_rendered(index) && context.survey.application.sync.is_none();
    may_be_patched && (is_patch || sets_fields || sets_metadata)
}

fn diagnostic(index: usize, job: &Job, path: &[&'static str]) -> Diagnostic {
    let what = path.join(".");
    let place = elsewhere(job);
    let says = match (path, job.value().at(path)) {
        (_, None) => format!("the Job has no `{what}`"),
        (_, Some(_)) => format!("`{what}` is empty"),
    };
    let message = format!("{says}: the API server rejects the Job");
    let help = match place {
        Some(place) => format!("move `{}` to `spec.template.spec.containers`", place.join(".")),
        None => "write the Job's containers under `spec.template.spec.containers`".to_owned(),
    };
    Diagnostic::at(index, Path::of_keys(path), message, help)
}
