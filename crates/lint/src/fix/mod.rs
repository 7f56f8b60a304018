//! Fixes: changes of a manifest that remove a finding.
//!
//! [`FIXES`] is the table of fixes, with a file for each finding that can be fixed. A fix reads the object as written and returns changes of its
//! values. A *safe* fix keeps what the manifest asks for, apart from the case of letters and white space: nothing runs, is deleted or is replaced
//! that the manifest did not ask for. Every other fix is *unsafe*.
//!
//! [`offer`] sets the possible fix of each finding, and [`round`] makes the fixes that are possible at once. Neither of them writes to a file.

mod comma_list;
mod document;
mod fixing;
mod hook_needs_later_object;
mod hook_not_recreated;
mod immutable_fields;
mod invalid_job;
mod invalid_sync_wave;
mod job_version;
mod non_string_annotation;
mod null_value;
mod offers;
mod owner_references;
mod plain;
mod replace_without_force;
mod rollout_does_not_wait;
mod rounds;
mod server_owned_fields;
mod side_effects;
mod spelling;
mod ttl_reruns;
mod unknown_annotation;
mod unknown_delete_policy;
mod unknown_hook;
mod unknown_sync_option;

use goyaml::resolve::Scalar;
use goyaml::{Change, Node, Path, Step, Value, path};
use kube_jobs::kubernetes::{Job, Object};
use text::Edits;

pub use fixing::{Fixing, Original, Wanted, apply, originals, secret_lines};
pub use offers::offer;
pub use rounds::{Fixed, Round, round};

/// Whether a fix keeps what the author of the manifest asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// It keeps it.
    Safe,
    /// It may not keep it, so somebody must check the change.
    Unsafe,
}

impl Safety {
    /// The word for it in messages and in output for programs.
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
    /// The id of the finding that the fix removes.
    pub rule: &'static str,
    /// The changes that a safe fix makes. Empty if no safe fix exists.
    pub safe: &'static str,
    /// The changes that an unsafe fix makes. Empty if no unsafe fix exists.
    pub not_safe: &'static str,
    /// The fix of one finding. None unless there is exactly one right answer.
    propose: fn(&Subject<'_>) -> Option<Proposal>,
}

impl Fix {
    /// The fix for the findings of a rule. None if there is none.
    pub fn find(rule: &str) -> Option<&'static Self> {
        FIXES.iter().find(|fix| fix.rule == rule)
    }

    /// What `check --fix` and `check --fix=all` write, in whole sentences.
    pub fn sentences(&self) -> String {
        let also = if self.safe.is_empty() { "" } else { "also " };
        let sentence = |flag: &str, what: String| format!("`check {flag}` {what}.");
        let safe = (!self.safe.is_empty()).then(|| sentence("--fix", self.safe.to_owned()));
        let not_safe = (!self.not_safe.is_empty()).then(|| sentence("--fix=all", format!("{also}{}", self.not_safe)));
        safe.into_iter().chain(not_safe).collect::<Vec<_>>().join(" ")
    }

    /// The row of the table in Markdown: finding, safe fix, unsafe fix.
    pub fn markdown(&self) -> String {
        let Self { rule, safe, not_safe, .. } = self;
        format!("| [`{rule}`](findings.md#{rule}) | {safe} | {not_safe} |")
    }
}

/// All fixes, sorted by the id of the finding.
pub static FIXES: &[Fix] = &[
    hook_needs_later_object::FIX,
    hook_not_recreated::FIX,
    immutable_fields::FIX,
    invalid_job::FIX,
    invalid_sync_wave::FIX,
    job_version::FIX,
    non_string_annotation::FIX,
    null_value::FIX,
    owner_references::FIX,
    replace_without_force::FIX,
    rollout_does_not_wait::FIX,
    server_owned_fields::FIX,
    ttl_reruns::FIX,
    unknown_annotation::FIX,
    unknown_delete_policy::FIX,
    unknown_hook::FIX,
    unknown_sync_option::FIX,
];

/// The input of a fix: the object as written, and the path of the finding in it.
#[derive(Clone, Copy, Debug)]
struct Subject<'s> {
    object: &'s Object,
    /// The object as a Job. None if it is not one.
    job: Option<&'s Job>,
    /// The object in its document.
    node: Node<'s>,
    /// The path of the finding in the object.
    path: &'s Path,
    /// The changes that the rule knows to remove the finding.
    changes: &'s [Change],
}

impl Subject<'_> {
    /// The proposal to make the changes that the rule knows. None if it knows none.
    fn known_changes(&self, safety: Safety, what: &str) -> Option<Proposal> {
        (!self.changes.is_empty()).then(|| Proposal::new(safety, what, self.changes.to_vec()))
    }

    /// The text of the number or boolean at the path of the finding, as written in the manifest. None for other values.
    fn unquoted(&self) -> Option<&str> {
        let (node, depth) = self.node.follow(self.path);
        let is_value = depth == self.path.steps().len() && node.is_scalar();
        let is_quotable = matches!(node.resolve(), Ok(Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_)));
        (is_value && is_quotable).then(|| node.content())
    }

    /// The key of the annotation at the path of the finding. None for other paths.
    fn annotation(&self) -> Option<&str> {
        match self.path.steps() {
            [Step::Key(metadata), Step::Key(annotations), Step::Key(key)] => {
                (metadata == "metadata" && annotations == "annotations").then_some(key)
            }
            _ => None,
        }
    }

    /// The paths to remove so that the entries at `paths` are gone and no map below `metadata` or `spec` becomes empty.
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

/// A fix of one finding.
#[derive(Clone, Debug, PartialEq)]
struct Proposal {
    safety: Safety,
    /// The fix in words, for a help line.
    what: String,
    /// The changes of the object as written.
    changes: Vec<Change>,
}

impl Proposal {
    fn new(safety: Safety, what: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { safety, what: what.into(), changes }
    }
}

/// A fix of one finding in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whether the fix keeps what the author asked for.
    pub safety: Safety,
    /// The fix in words, for a help line.
    pub what: String,
    /// The edits of the manifest's text. Empty if they are in a Secret and must not be shown, or if the document has so many findings that the edits
    /// are computed only for all of them together.
    pub edits: Edits,
    /// Why `--fix` cannot write the fix. None if it can.
    pub obstacle: Option<Obstacle>,
}

/// Why a fix cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A tool rendered the manifest, so no file contains its text.
    Rendered,
    /// The manifest is standard input, a pipe, or a symlink to its file.
    NoFile,
    /// The file cannot be written, for example because of its permissions.
    File,
    /// The value cannot be edited in place: it is shared by an alias or a merge key, its key occurs twice, or it is a block scalar.
    Shared,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rule;

    #[test]
    fn the_table_is_sorted_and_names_findings() {
        assert!(FIXES.is_sorted_by_key(|fix| fix.rule));
        for fix in FIXES {
            assert!(Rule::find(fix.rule).is_some(), "{}", fix.rule);
            assert!(!fix.safe.is_empty() || !fix.not_safe.is_empty(), "{}", fix.rule);
        }
    }
}
