//! `null-value`

use goyaml::{Path, Step, Value};
use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "null-value",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a null where Kubernetes stores a value: the second sync of the Job fails",
    why: "A null in an applied manifest means: remove this field. If the API server has stored a value in its place \
          (1 for `completions`, an empty string for an entry of `nodeSelector`, `labels` or `annotations`), each \
          sync after the first tries to remove it. That is a change to an immutable field and is rejected, whatever \
          the Job's name. A hash in the name does not fix that.",
    fix: "Remove the key, or give it a value.",
    link: "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/",
    example: super::example!("null-value"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // With `Force=true` the Job is deleted and recreated instead. A Job without a pod template is never created, so there is no second sync.
    let has_template =
        |job: &Job| job.value().at(&["spec", "template"]).is_none_or(|template| *template != Value::Null);
    let patched = context.ordinary_jobs().filter(|(_, job)| !job.has_sync_option("Force=true") && has_template(job));
    patched.filter_map(|(index, job)| Some(diagnostic(index, path(job)?))).collect()
}

fn diagnostic(index: usize, path: Path) -> Diagnostic {
    let key = path.steps().iter().rev().find_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    });
    let key = key.unwrap_or_default();
    let is_item = matches!(path.steps().last(), Some(Step::Item(_)));
    let what = if is_item { format!("an item of `{key}`") } else { format!("`{key}`") };
    let message = format!("{what} is null, but Kubernetes stores a value for it: the second sync of the Job fails");
    let help = format!("remove {what} from the Job, or give it a value");
    Diagnostic::at(index, path, message, help)
}

/// The path of a null for which the API server refuses to apply the same Job a second time.
fn path(job: &Job) -> Option<Path> {
    // Comparing a Job with its stored form takes as long as reading it, and few Jobs contain a null.
    job.value().find(&|_, value| *value == Value::Null)?;
    immutability::refused(job, job, SuspendedTemplate::default())
        .iter()
        .find_map(|difference| path_to_null(job.value(), difference.path.steps()))
}

/// The steps from `value` to the first null on `path`, or below the end of `path`.
fn path_to_null(value: &Value, path: &[Step]) -> Option<Path> {
    if *value == Value::Null {
        return Some(Path::default());
    }
    let Some((step, rest)) = path.split_first() else { return value.find(&|_, value| *value == Value::Null) };
    Some(Path::from_iter([step.clone()]).join(&path_to_null(value.child(step)?, rest)?))
}
