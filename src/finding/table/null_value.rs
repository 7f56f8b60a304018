//! `null-value`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::difference::Step;
use crate::kubernetes::{Job, update};
use crate::yaml::Value;

pub(super) const ROW: Row = Row {
    id: "null-value",
    level: Level::Warning,
    summary: "a null where Kubernetes stores something else: the second sync of the Job fails",
    why: "A null in an applied manifest means: take this away. Where the API server has stored something in its place \
          (1 for `completions`, an empty text for an entry of `nodeSelector`, `labels` or `annotations`) \
          each sync after the first tries to remove it, which is a change of an immutable field, and is \
          refused, whatever the Job's name. No hash mends that.",
    fix: "Remove the key, or give it a value.",
    link: "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    // Where `Force=true` stands, the Job is created anew instead.
    let patched = look.ordinary_jobs().filter(|(_, job)| !job.has_sync_option("Force=true"));
    patched.filter_map(|(index, job)| Some(remark(index, &path(job)?))).collect()
}

fn remark(index: usize, path: &[String]) -> Remark {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let key = path.last().copied().unwrap_or("");
    let message =
        format!("`{key}` is null, and Kubernetes stores something else: the second sync of the Job is refused");
    Remark::at(index, &path, message, "remove the key, or give it a value")
}

/// Where a null stands for which applying the same Job once more is refused.
fn path(job: &Job) -> Option<Vec<String>> {
    // Comparing a Job with its stored form costs as much as reading it, and few Jobs have a null.
    job.value().find(&|_, value| *value == Value::Null)?;
    update::refused(job, job).iter().find_map(|difference| path_to_null(job.value(), &difference.path.0))
}

/// The steps from `value` to the first null on the way, or below its end.
fn path_to_null(value: &Value, path: &[Step]) -> Option<Vec<String>> {
    if *value == Value::Null {
        return Some(Vec::new());
    }
    let Some((step, rest)) = path.split_first() else { return value.find(&|_, value| *value == Value::Null) };
    let (text, next) = match step {
        Step::Key(key) => (key.clone(), value.at(&[key])?),
        Step::Item(index) => (index.to_string(), value.as_list()?.get(*index)?),
    };
    Some([vec![text], path_to_null(next, rest)?].concat())
}
