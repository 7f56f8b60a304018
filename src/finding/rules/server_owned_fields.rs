//! `server-owned-fields`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::{Job, live};
use crate::yaml::{Path, Value};

pub(super) const RULE: Rule = Rule {
    id: "server-owned-fields",
    level: Level::Warning,
    summary: "fields that only a live Job has: the Job was copied from a cluster",
    why: "The API server fills in these fields itself. `uid`, `resourceVersion` and a `selector` with its labels \
          belong to one object: a manifest that has them is refused, at the latest when the Job is created anew \
          (`pkg/registry/batch/job/strategy.go` in Kubernetes). The finalizers keep a deleted Job alive. With the annotation \
          `kubectl.kubernetes.io/last-applied-configuration`, which every apply writes anew, the Application stays OutOfSync \
          for ever. The rest has no effect, but shows as a difference.",
    fix: "Remove them. Every strategy but `keep` does.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.applied_jobs().filter_map(|(index, job)| of_job(index, job)).collect()
}

fn of_job(index: usize, job: &Job) -> Option<Diagnostic> {
    let found: Vec<Vec<&str>> = paths(job).into_iter().filter(|path| job.value().at(path).is_some_and(says)).collect();
    let names: Vec<String> = found.iter().map(|path| format!("`{}`", path.join("."))).collect();
    let listed = match names.as_slice() {
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and {} more", names.len() - 3),
        few => few.join(", "),
    };
    let message = if names.len() == 1 {
        format!("{listed} belongs to a live Job, not to a manifest")
    } else {
        format!("{listed} belong to a live Job: this one was copied from a cluster")
    };
    let help = "remove what only the API server writes; every strategy but `keep` does";
    Some(Diagnostic::at(index, Path::of_keys(found.first()?), message, help))
}

/// False for a null, an empty map and an empty list, which tools print: `creationTimestamp: null`,
/// `status: {}`.
fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Map(map) => !map.is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => true,
    }
}

/// The fields to check, in the order in which they are reported.
fn paths(job: &Job) -> Vec<Vec<&'static str>> {
    let mut paths: Vec<Vec<&str>> = live::METADATA.into_iter().map(|field| vec!["metadata", field]).collect();
    let finalizers = job.value().at(&["metadata", "finalizers"]).and_then(Value::as_list).unwrap_or_default();
    if finalizers.iter().filter_map(Value::as_text).any(|text| live::FINALIZERS.contains(&text)) {
        paths.push(vec!["metadata", "finalizers"]);
    }
    paths.extend(live::ANNOTATIONS.into_iter().map(|annotation| vec!["metadata", "annotations", annotation]));
    if !job.has_manual_selector() {
        paths.extend(labels(job, &["metadata", "labels"]));
        paths.push(vec!["spec", "selector"]);
        paths.extend(labels(job, &["spec", "template", "metadata", "labels"]));
    }
    paths.push(vec!["status"]);
    paths
}

/// False for a label with the Job's own name, which is what the API server would write.
fn labels(job: &Job, map: &[&'static str]) -> Vec<Vec<&'static str>> {
    let paths = live::LABELS.into_iter().map(|label| [map, &[label]].concat());
    paths.filter(|path| job.value().text_at(path) != job.name()).collect()
}
