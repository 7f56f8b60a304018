//! Fixes: what can be written into a manifest so that a finding is gone.
//!
//! [`FIXES`] is the one table; each finding that can be fixed has a file. A fix reads the object as it is written and returns changes of its
//! values. A *safe* fix keeps what the manifest asks for, apart from the case of letters and white space, and makes nothing run, go or be replaced that was not asked for. Every other fix is *unsafe*.
//!
//! [`offer`] says of each finding how it can be fixed, and [`round`] fixes what can be fixed together. Neither touches a file.

mod comma_list;
mod document;
mod hook_not_recreated;
mod invalid_job;
mod invalid_sync_wave;
mod job_version;
mod non_string_annotation;
mod null_value;
mod offers;
mod owner_references;
mod plain;
mod replace_without_force;
mod rounds;
mod server_owned_fields;
mod side_effects;
mod spelling;
mod ttl_reruns;
mod unknown_annotation;
mod unknown_delete_policy;
mod unknown_hook;
mod unknown_sync_option;

use crate::kubernetes::{Job, Object};
use crate::path;
use crate::text::Edits;
use crate::yaml::resolve::Scalar;
use crate::yaml::{Change, Node, Path, Step, Value};

pub use offers::offer;
pub use rounds::{Fixed, Round, round};

/// Whether a fix keeps what the author of the manifest has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// It does.
    Safe,
    /// It may not: somebody has to look at it.
    Unsafe,
}

impl Safety {
    /// The word for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A row of the table of fixes, from which the documents are generated.
#[derive(Clone, Copy, Debug)]
pub struct Fix {
    /// The id of the finding that it fixes.
    pub rule: &'static str,
    /// What is written by a safe fix; empty when there is none.
    pub safe: &'static str,
    /// What is written by an unsafe fix; empty when there is none.
    pub not_safe: &'static str,
    /// Returns the fix of one finding; none when there is not exactly one right answer.
    propose: fn(&Subject<'_>) -> Option<Proposal>,
}

impl Fix {
    /// The fix of the findings of a rule.
    pub fn find(rule: &str) -> Option<&'static Self> {
        FIXES.iter().find(|fix| fix.rule == rule)
    }

    /// What `check` writes, in sentences.
    pub fn sentences(&self) -> String {
        let also = if self.safe.is_empty() { "" } else { "also " };
        let sentence = |flag: &str, what: String| format!("`check {flag}` {what}.");
        let safe = (!self.safe.is_empty()).then(|| sentence("--fix", self.safe.to_owned()));
        let not_safe = (!self.not_safe.is_empty()).then(|| sentence("--fix=all", format!("{also}{}", self.not_safe)));
        safe.into_iter().chain(not_safe).collect::<Vec<_>>().join(" ")
    }

    /// The row of a table in Markdown: the finding, the safe fix, the unsafe fix.
    pub fn markdown(&self) -> String {
        let Self { rule, safe, not_safe, .. } = self;
        format!("| [`{rule}`](findings.md#{rule}) | {safe} | {not_safe} |")
    }
}

/// All fixes, sorted by the ids of their findings.
pub static FIXES: &[Fix] = &[
    hook_not_recreated::FIX,
    invalid_job::FIX,
    invalid_sync_wave::FIX,
    job_version::FIX,
    non_string_annotation::FIX,
    null_value::FIX,
    owner_references::FIX,
    replace_without_force::FIX,
    server_owned_fields::FIX,
    ttl_reruns::FIX,
    unknown_annotation::FIX,
    unknown_delete_policy::FIX,
    unknown_hook::FIX,
    unknown_sync_option::FIX,
];

/// What a fix looks at: one object as it is written, and the place of the finding in it.
#[derive(Clone, Copy, Debug)]
struct Subject<'s> {
    object: &'s Object,
    /// The same object, when it is a Job.
    job: Option<&'s Job>,
    /// The object in its document.
    node: Node<'s>,
    /// The path of the finding.
    path: &'s Path,
}

impl Subject<'_> {
    /// The text of the number or boolean that the finding is about, as it is in the manifest; none for other values.
    fn unquoted(&self) -> Option<&str> {
        let (node, depth) = self.node.follow(self.path);
        let is_value = depth == self.path.steps().len() && node.is_scalar();
        let is_quotable = matches!(node.resolve(), Ok(Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_)));
        (is_value && is_quotable).then(|| node.content())
    }

    /// The annotation that the finding is about, when it is about one.
    fn annotation(&self) -> Option<&str> {
        match self.path.steps() {
            [Step::Key(metadata), Step::Key(annotations), Step::Key(key)] => {
                (metadata == "metadata" && annotations == "annotations").then_some(key)
            }
            _ => None,
        }
    }

    /// The paths to remove so that these entries are gone, and no map below `metadata` or `spec` is left empty.
    fn removal(&self, mut paths: Vec<Path>) -> Vec<Path> {
        loop {
            let parents = paths.iter().filter_map(|path| {
                let (_, parent) = path.steps().split_last()?;
                (parent.len() > 1).then(|| parent.iter().cloned().collect::<Path>())
            });
            let is_emptied = |parent: &Path| {
                let map = self.object.value().at_path(parent).and_then(Value::as_map);
                map.is_some_and(|map| map.keys().all(|key| paths.contains(&parent.join(&path![key.as_str()]))))
            };
            let Some(parent) = parents.into_iter().find(is_emptied) else { return paths };
            paths.retain(|path| !path.steps().starts_with(parent.steps()));
            paths.push(parent);
        }
    }
}

/// Sets an annotation.
fn annotation(key: &str, value: String) -> Change {
    Change::set(path!["metadata", "annotations", key], Value::String(value.into()))
}

/// How one finding can be fixed.
#[derive(Clone, Debug, PartialEq)]
struct Proposal {
    safety: Safety,
    /// What to do, as a help line says it.
    what: String,
    /// The changes of the object as written.
    changes: Vec<Change>,
}

impl Proposal {
    fn new(safety: Safety, what: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { safety, what: what.into(), changes }
    }
}

/// How a finding can be fixed in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whether it keeps what the author has asked for.
    pub safety: Safety,
    /// What to do, as a help line says it.
    pub what: String,
    /// The edits of the manifest's text. Empty when they may not be shown, because they are those of a Secret, and in a document with so
    /// many findings that they are worked out together.
    pub edits: Edits,
    /// Why `--fix` cannot write it, if it cannot.
    pub obstacle: Option<Obstacle>,
}

/// Why a fix cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A tool has rendered the manifest, and no file has its text.
    Rendered,
    /// The manifest is standard input, a pipe, or a symlink to its file.
    NoFile,
    /// Something keeps the file from being written, such as its permissions.
    File,
    /// The value cannot be edited where it is: an alias or a merge key shares it, its key is there twice, or it is a block text.
    Shared,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rule;

    #[test]
    fn the_table_is_sorted_and_names_findings() {
        assert!(FIXES.is_sorted_by_key(|fix| fix.rule));
        for fix in FIXES {
            assert!(Rule::find(fix.rule).is_some(), "{}", fix.rule);
            assert!(!fix.safe.is_empty() || !fix.not_safe.is_empty(), "{}", fix.rule);
        }
    }
}
