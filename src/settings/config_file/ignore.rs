//! `ignore` in the config file: a list of finding ids, at the top level for all resources, in a rule for the Jobs
//! that it matches.
//!
//! Only `check` uses it. The ids are plain texts here, because the list of findings belongs to a higher floor.

use crate::text::LineColumn;

/// The prefix of annotations that ignore a finding; the rest of the key is the id of the finding.
pub const IGNORE: &str = "argocd-jobs/ignore.";

pub(super) const KEY: &str = "ignore";

/// One entry of `ignore`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The id of the finding, as written: it may not exist.
    pub id: String,
    /// The place of the entry in the config file.
    pub at: LineColumn,
}
