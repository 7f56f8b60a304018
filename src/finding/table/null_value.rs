//! `null-value`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Job;
use crate::yaml::Value;

pub(super) const ROW: Row = Row {
    id: "null-value",
    level: Level::Warning,
    summary: "a null where Kubernetes stores something else: the second sync of the Job fails",
    why: "A null in an applied manifest means: take this away. Where the API server has stored something in its place \
          (1 for `completions`, an empty text for an entry of `nodeSelector`, `labels` or `annotations`, 0 for a \
          resource) each sync after the first tries to remove it, which is a change of an immutable field, and is \
          refused, whatever the Job's name. No hash mends that.",
    fix: "Remove the key, or give it a value.",
    link: "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/",
    judge: Judge::Objects(judge),
};

/// Maps whose null entries are stored as an empty text or as 0.
const MAPS: [&str; 7] =
    ["annotations", "labels", "limits", "matchLabels", "nodeSelector", "requests", "volumeAttributes"];

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

fn path(job: &Job) -> Option<Vec<String>> {
    let spec = job.value().at(&["spec"])?;
    let is_null = |path: &[&str]| spec.at(path) == Some(&Value::Null);
    // The API server sets both to 1 when both are absent, and only then.
    let parallel = spec.at(&["parallelism"]).is_some_and(|found| *found != Value::Null);
    let below = |steps: &[&str], found: Vec<String>| steps.iter().map(|step| (*step).to_owned()).chain(found).collect();
    if is_null(&["completions"]) && !parallel {
        Some(below(&["spec", "completions"], Vec::new()))
    } else if is_null(&["template", "metadata"]) {
        Some(below(&["spec", "template", "metadata"], Vec::new()))
    } else {
        Some(below(&["spec", "template"], null_entry(spec.at(&["template"])?)?))
    }
}

/// The path to the first null entry of one of the maps.
fn null_entry(template: &Value) -> Option<Vec<String>> {
    let null_key = |map: &Value| {
        let (key, _) = map.as_map()?.iter().find(|(_, value)| **value == Value::Null)?;
        Some(key.clone())
    };
    let found = std::cell::Cell::new(None);
    let mut path = template.find(&|key, value| {
        let null = null_key(value).filter(|_| MAPS.contains(&key));
        let is_one = null.is_some();
        found.set(null);
        is_one
    })?;
    path.extend(found.take());
    Some(path)
}
