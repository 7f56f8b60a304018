//! The name that a Job has in the user's manifests, also when the program has already renamed it.

use super::{Options, Refusal};
use crate::kubernetes::{Job, Object};
use crate::yaml::Value;

/// Annotation and label with the input name of a Job that a strategy has renamed.
pub const NAME: &str = "argocd-jobs/name";

/// The name of a Job before a strategy adds its suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputName {
    /// As in the input; a `generateName` with its dash. Goes into the content hash.
    pub name: String,
    /// Whether a setting or an earlier run says so, not the Job's own `metadata`.
    pub is_given: bool,
}

impl InputName {
    /// True for a `generateName`: many Jobs may share it.
    pub fn is_prefix(&self) -> bool {
        is_prefix(&self.name)
    }
}

/// An input name without the dashes and dots at its end: what a strategy can put a suffix behind.
pub fn base_of(input_name: &str) -> &str {
    input_name.trim_end_matches(['-', '.'])
}

/// True for an input name that is a `generateName`: many Jobs may share it.
pub fn is_prefix(input_name: &str) -> bool {
    input_name.ends_with('-')
}

/// The input name that an earlier run has kept in the annotation [`NAME`]. An empty one counts as none.
pub fn remembered_name(object: &Object) -> Option<&str> {
    object.annotation(NAME).filter(|name| !name.is_empty())
}

/// The input name as far as the manifest says it: that of an earlier run, `metadata.name` or `metadata.generateName`. Settings are
/// chosen by it, so it knows no setting.
pub fn manifest_name(object: &Object) -> Option<&str> {
    remembered_name(object).or_else(|| object.name()).or_else(|| object.generate_name())
}

/// The input name: that of an earlier run, `base-name`, `metadata.name` or `metadata.generateName`, the first of them that is there.
pub(super) fn find(job: &Job, options: &Options) -> Result<InputName, Refusal> {
    for key in ["name", "generateName"] {
        let value = job.value().at(&["metadata", key]);
        if let Some(other) = value.filter(|value| !matches!(value, Value::String(_) | Value::Null)) {
            return Err(Refusal::NameIsNoText { key, found: other.kind() });
        }
    }
    let given = remembered_name(job).or(options.base_name.as_deref());
    let name = given.or_else(|| manifest_name(job)).ok_or(Refusal::NoName)?;
    if base_of(name).is_empty() {
        return Err(Refusal::NoBase { written: name.to_owned() });
    }
    Ok(InputName { name: name.to_owned(), is_given: given.is_some() })
}
