//! Diagnostics: the results of rules.

use goyaml::{Change, Path, Value, path};
use text::{Help, Place, Span};

use super::Level;

/// The part of the manifest that a diagnostic points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The value at the path.
    Value,
    /// The key at the end of the path.
    Key,
    /// This word in the value. The whole value, if the text of the manifest does not contain the word.
    Word(String),
}

/// A mistake in an object of one side, found by a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The index of the object in the survey.
    pub object: usize,
    /// The path of the value in the object. The end of it may not exist.
    pub path: Path,
    /// The part to point at, at the end of the path.
    pub spot: Spot,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// What to do.
    pub help: Help,
    /// Related places, as objects and paths in them.
    pub related: Vec<(usize, Path)>,
    /// The severity, if it differs from that of the rule.
    pub level: Option<Level>,
    /// What solves the mistake if only the written side has it. None if it is the strategy of the Job.
    pub solver: Option<&'static str>,
    /// The changes of the object that remove the mistake, for the fix of a rule that looks at other objects too. Empty if the fix finds them by itself.
    pub changes: Vec<Change>,
    /// A place outside the manifests of the source, such as in the file of its Application. None if the place is that of the path in the object.
    pub elsewhere: Option<Place>,
}

impl Diagnostic {
    /// A diagnostic that points at the value at `path`.
    pub fn at(object: usize, path: Path, message: impl Into<String>, help: impl Into<Help>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self {
            object,
            path,
            spot: Spot::Value,
            message,
            help,
            related: Vec::new(),
            level: None,
            solver: None,
            changes: Vec::new(),
            elsewhere: None,
        }
    }

    /// The same diagnostic, with `solver` instead of the Job's strategy as its solver.
    pub fn solved_by(mut self, solver: &'static str) -> Self {
        self.solver = Some(solver);
        self
    }

    /// Adds the changes that fix it.
    pub fn fixed_by(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// The same diagnostic, with this severity instead of that of the rule.
    pub fn at_level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// A diagnostic that points at the name of the object.
    pub fn on_name(object: usize, message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self::at(object, path!["metadata", "name"], message, help)
    }

    /// A diagnostic that points at the value of the annotation `key`.
    pub fn on_annotation(object: usize, key: &str, message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self::at(object, path!["metadata", "annotations", key], message, help)
    }

    /// Moves the diagnostic to a place outside the manifests of the source.
    pub fn elsewhere(mut self, place: Option<Place>) -> Self {
        self.elsewhere = place;
        self
    }

    /// The same diagnostic, pointing at the key.
    pub fn at_key(mut self) -> Self {
        self.spot = Spot::Key;
        self
    }

    /// The same diagnostic, pointing at a word of the value.
    pub fn at_word(mut self, word: &str) -> Self {
        self.spot = Spot::Word(word.to_owned());
        self
    }

    /// Adds the name of another object to the related places.
    pub fn with_name_of(self, object: usize) -> Self {
        self.with(object, path!["metadata", "name"])
    }

    /// The same diagnostic, with one more related place.
    pub fn with(mut self, object: usize, path: Path) -> Self {
        self.related.push((object, path));
        self
    }
}

/// The change that sets an annotation.
pub(super) fn annotation(key: &str, value: String) -> Change {
    Change::set(path!["metadata", "annotations", key], Value::String(value.into()))
}

/// A mistake in the text of a document, found by a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDiagnostic {
    /// The bytes that it points at, counted from the start of the document.
    pub span: Span,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// What to do.
    pub help: Help,
}
