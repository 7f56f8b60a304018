//! `server-owned-fields`

use goyaml::{Path, Step, Value};
use kube_jobs::kubernetes::{Job, server_fields};
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "server-owned-fields",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Warning,
    summary: "fields that are set in the cluster: the Job was copied from there",
    why: "These fields are set in the cluster, most of them by the API server. `uid`, `resourceVersion` and a \
          `selector` with its labels belong to one live object: a manifest with them is rejected, at the latest when \
          the Job is recreated (`pkg/registry/batch/job/strategy.go` in Kubernetes). The finalizers keep a deleted \
          Job alive. With the annotation `kubectl.kubernetes.io/last-applied-configuration`, which every apply \
          rewrites, the Application stays OutOfSync forever. The other fields have no effect, but show up as a \
          difference.",
    fix: "Remove them. With the plugin, every strategy except `keep` does this.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/",
    example: super::example!("server-owned-fields"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.applied_jobs().filter_map(|(index, job)| of_job(index, job)).collect()
}

fn of_job(index: usize, job: &Job) -> Option<Diagnostic> {
    let is_reported = |path: &Path| {
        // Tools print nulls and empty maps and lists, as in `creationTimestamp: null` and `status: {}`.
        let is_filled = job.value().at_path(path).is_some_and(|value| !value.is_empty());
        is_filled && !is_own_name(job, path)
    };
    let found: Vec<Path> = server_fields::paths(job).into_iter().filter(is_reported).collect();
    let names: Vec<String> = found.iter().map(described).collect();
    let listed = match names.as_slice() {
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and {} more", names.len() - 3),
        few => few.join(", "),
    };
    let by = if found.iter().all(is_set_by_api_server) { "by the API server" } else { "in the cluster" };
    let (message, what) = match names.len() {
        1 => (format!("{listed} is set {by} and does not belong in Git"), "this field"),
        _ => (format!("{listed} are set {by} and do not belong in Git"), "these fields"),
    };
    let help = Help::from(format!("remove {what} from the Job")).with_plugin("every strategy except `keep` does this");
    Some(Diagnostic::at(index, found.into_iter().next()?, message, help))
}

/// Whether the path is a label with the Job's own name. The API server would write the same.
fn is_own_name(job: &Job, path: &Path) -> bool {
    let is_label = matches!(path.steps(), [.., Step::Key(key)] if server_fields::LABELS.contains(&key.as_str()));
    is_label && job.value().at_path(path).and_then(Value::as_text) == job.name()
}

/// Whether only the API server sets the field. `kubectl apply` sets the annotation, and Argo CD one of the finalizers.
fn is_set_by_api_server(path: &Path) -> bool {
    *path != server_fields::finalizers() && !matches!(keys(path).as_slice(), ["metadata", "annotations", _])
}

/// ``label `job-name` of the pod template``, `` `metadata.uid` ``
fn described(path: &Path) -> String {
    match keys(path).as_slice() {
        ["metadata", "annotations", key] => format!("annotation `{key}`"),
        ["metadata", "labels", key] => format!("label `{key}`"),
        ["spec", "template", "metadata", "labels", key] => format!("label `{key}` of the pod template"),
        keys => format!("`{}`", keys.join(".")),
    }
}

/// The keys of a path. None of these paths has an item of a list.
fn keys(path: &Path) -> Vec<&str> {
    let keys = path.steps().iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    });
    keys.collect()
}
