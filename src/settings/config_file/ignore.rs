//! `ignore` in the config file: ids of findings, at the top for all resources, in a rule for the Jobs that match.
//!
//! It is for `check` alone. Here the ids are words: the list of findings belongs to a higher floor.

use crate::text::LineColumn;

/// The start of annotations that ignore a finding; the rest of the key is the id of the finding.
pub const IGNORE: &str = "argocd-jobs/ignore.";

/// The key in the config file.
pub(super) const KEY: &str = "ignore";

/// The id of a finding that the config file wants ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The id.
    pub id: String,
    /// Its place in the config file.
    pub at: LineColumn,
}
