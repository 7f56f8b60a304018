//! What a rule returns.

use crate::path;
use crate::text::Span;
use crate::yaml::Path;

/// A problem of an object of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The index of the object in the survey.
    pub object: usize,
    /// Where in it, as far as it is written.
    pub path: Path,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// The help line: what to do.
    pub help: String,
    /// Related locations: objects and paths in them.
    pub related: Vec<(usize, Path)>,
    /// What solves the problem when only the written side has it; none for the Job's strategy.
    pub solver: Option<&'static str>,
}

impl Diagnostic {
    /// A diagnostic about the value at `path`.
    pub fn at(object: usize, path: Path, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { object, path, message: message.into(), help: help.into(), related: Vec::new(), solver: None }
    }

    /// Returns the diagnostic as solved by `solver` instead of the Job's strategy.
    pub fn solved_by(mut self, solver: &'static str) -> Self {
        self.solver = Some(solver);
        self
    }

    /// A diagnostic about the annotation `key` of the object.
    pub fn on_annotation(object: usize, key: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(object, path!["metadata", "annotations", key], message, help)
    }

    /// Returns the diagnostic with one more related location.
    pub fn with(mut self, object: usize, path: Path) -> Self {
        self.related.push((object, path));
        self
    }
}

/// A problem in the text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDiagnostic {
    /// The bytes in the document.
    pub span: Span,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// The help line: what to do.
    pub help: String,
}
