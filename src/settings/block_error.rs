//! What is wrong in a block of an Application, and where.

use crate::text::LineColumn;
use crate::yaml::Path;

/// What is wrong in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockError {
    /// Where in the block.
    pub path: Path,
    /// True when the key at the end of the path is wrong, and not its value.
    pub is_key: bool,
    /// What is wrong, without a place.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The place in the text of the block; none for a map in the config file.
    pub at: Option<LineColumn>,
}

impl BlockError {
    /// The same error with what to do about it.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
