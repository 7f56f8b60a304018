//! What a rule returns.

use super::Level;
use crate::path;
use crate::text::Span;
use crate::yaml::Path;

/// What a diagnostic points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The value at the path.
    Value,
    /// The key at the end of the path.
    Key,
    /// A word of the value, where it is written as such; else the value.
    Word(String),
}

/// A problem of an object of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The index of the object in the survey.
    pub object: usize,
    /// Where in it, as far as it is written.
    pub path: Path,
    /// What to point at there.
    pub spot: Spot,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// The help line: what to do.
    pub help: String,
    /// Related locations: objects and paths in them.
    pub related: Vec<(usize, Path)>,
    /// The severity, where it is not that of the rule.
    pub level: Option<Level>,
    /// What solves the problem when only the written side has it; none for the Job's strategy.
    pub solver: Option<&'static str>,
}

impl Diagnostic {
    /// A diagnostic about the value at `path`.
    pub fn at(object: usize, path: Path, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self { object, path, spot: Spot::Value, message, help, related: Vec::new(), level: None, solver: None }
    }

    /// Returns the diagnostic as solved by `solver` instead of the Job's strategy.
    pub fn solved_by(mut self, solver: &'static str) -> Self {
        self.solver = Some(solver);
        self
    }

    /// Returns the diagnostic with another severity than that of the rule.
    pub fn at_level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// A diagnostic about the annotation `key` of the object.
    pub fn on_annotation(object: usize, key: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(object, path!["metadata", "annotations", key], message, help)
    }

    /// Returns the diagnostic as one that points at the key.
    pub fn at_key(mut self) -> Self {
        self.spot = Spot::Key;
        self
    }

    /// Returns the diagnostic as one that points at a word of the value.
    pub fn at_word(mut self, word: &str) -> Self {
        self.spot = Spot::Word(word.to_owned());
        self
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
