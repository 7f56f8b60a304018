//! The name that a Job has in the user's manifests, even if an earlier run has already renamed it.

use goyaml::Value;
use kube_jobs::kubernetes::{Job, Object};

use super::{NAME, Options, Refusal};

/// The name of a Job before a strategy appends a suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputName {
    /// The name as in the input; a `generateName` with its dash. It is part of the content hash.
    pub name: String,
    /// Whether the name comes from a setting or an earlier run, and not from the Job's own `metadata`.
    pub is_given: bool,
}

impl InputName {
    /// Whether the name is a `generateName`, which many Jobs may share.
    pub fn is_prefix(&self) -> bool {
        is_prefix(&self.name)
    }
}

/// The input name without dashes and dots at its end, to which a strategy can append a suffix.
pub fn base_of(input_name: &str) -> &str {
    input_name.trim_end_matches(['-', '.'])
}

/// Whether an input name is a `generateName`, which many Jobs may share.
pub fn is_prefix(input_name: &str) -> bool {
    input_name.ends_with('-')
}

/// The input name that an earlier run has stored in the annotation [`NAME`]. None if it is empty.
pub fn remembered_name(object: &Object) -> Option<&str> {
    object.annotation(NAME).filter(|name| !name.is_empty())
}

/// The input name according to the manifest alone: that of an earlier run, else `metadata.name`, else `metadata.generateName`. Rules in the settings
/// match this name, so it must not depend on settings.
pub fn manifest_name(object: &Object) -> Option<&str> {
    remembered_name(object).or_else(|| object.name()).or_else(|| object.generate_name())
}

/// The input name: the first that exists of the name from an earlier run, `base-name`, `metadata.name` and `metadata.generateName`.
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
