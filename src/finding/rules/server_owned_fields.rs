//! `server-owned-fields`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::{Job, server_fields};
use crate::yaml::{Path, Step, Value};

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
    let is_reported = |path: &Path| {
        let value = job.value().at_path(path);
        value.is_some_and(says) && !is_own_name(job, path)
    };
    let found: Vec<Path> = server_fields::paths(job).into_iter().filter(is_reported).collect();
    let names: Vec<String> = found.iter().map(|path| format!("`{}`", dotted(path))).collect();
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
    Some(Diagnostic::at(index, found.into_iter().next()?, message, help))
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

/// True for a label with the Job's own name, which is what the API server would write.
fn is_own_name(job: &Job, path: &Path) -> bool {
    let is_label = matches!(path.steps(), [.., Step::Key(key)] if server_fields::LABELS.contains(&key.as_str()));
    is_label && job.value().at_path(path).and_then(Value::as_text) == job.name()
}

/// The keys with dots between them. None of these paths has an item.
fn dotted(path: &Path) -> String {
    let keys = path.steps().iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    });
    keys.collect::<Vec<_>>().join(".")
}
