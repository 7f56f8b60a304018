//! The name that the user wrote, however often the program has run over it.

use super::{Options, Refusal};
use crate::kubernetes::Job;
use crate::yaml::Value;

/// Annotation and label that keep the written name of a Job whose name was changed.
pub const NAME: &str = "argocd-jobs/name";

/// The written name, and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenName {
    /// As written; a `generateName` with its dash. Goes into the content hash.
    pub name: String,
    /// Whether a setting, not the Job's own `metadata`, says so.
    pub is_given: bool,
}

impl WrittenName {
    /// True for a `generateName`: many Jobs may share it.
    pub fn is_prefix(&self) -> bool {
        self.name.ends_with('-')
    }
}

/// First found wins: the annotation of an earlier run, `base-name`, `metadata.name`, `metadata.generateName`.
pub(super) fn find(job: &Job, options: &Options) -> Result<WrittenName, Refusal> {
    for key in ["name", "generateName"] {
        let found = job.value().at(&["metadata", key]);
        if let Some(found) = found.filter(|found| !matches!(found, Value::String(_) | Value::Null)) {
            return Err(Refusal::NameIsNoText { key, found: found.kind() });
        }
    }
    let given = job.annotation(NAME).filter(|name| !name.is_empty()).or(options.base_name.as_deref());
    let (name, is_given) = match given {
        Some(name) => (name, true),
        None => (job.name().or(job.generate_name()).ok_or(Refusal::NoName)?, false),
    };
    if name.trim_end_matches(['-', '.']).is_empty() {
        return Err(Refusal::NoBase { written: name.to_owned() });
    }
    Ok(WrittenName { name: name.to_owned(), is_given })
}
