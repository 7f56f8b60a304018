//! What a row of the table says.

use crate::path;
use crate::text::Span;
use crate::yaml::Path;

/// Something about an object of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The index of the object in the survey.
    pub object: usize,
    /// Where in it, as far as it is written.
    pub path: Path,
    /// What, lower case, the user's words in backticks.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Other objects, and where in them, that have to do with it.
    pub related: Vec<(usize, Path)>,
    /// What solves it where it is said only of what is written; none for the Job's strategy.
    pub solver: Option<&'static str>,
}

impl Remark {
    /// A remark about what stands at `path`.
    pub fn at(object: usize, path: Path, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { object, path, message: message.into(), help: help.into(), related: Vec::new(), solver: None }
    }

    /// The same, solved by something else than the Job's strategy.
    pub fn solved_by(mut self, solver: &'static str) -> Self {
        self.solver = Some(solver);
        self
    }

    /// A remark about the annotation `key` of the object.
    pub fn on_annotation(object: usize, key: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(object, path!["metadata", "annotations", key], message, help)
    }

    /// The same, with another object that has to do with it.
    pub fn with(mut self, object: usize, path: Path) -> Self {
        self.related.push((object, path));
        self
    }
}

/// Something about the text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The bytes of the document.
    pub span: Span,
    /// What, lower case, the user's words in backticks.
    pub message: String,
    /// What to do about it.
    pub help: String,
}
