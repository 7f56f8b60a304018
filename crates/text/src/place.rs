//! Places in messages: a manifest or a file, with line and column.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use system::PathText;

use super::LineColumn;

/// Where a manifest comes from, in the words of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A file, as a path relative to the source directory of the Application.
    File(Arc<Path>),
    /// Standard input.
    StandardInput,
    /// The output of a command, such as `helm template`.
    Rendered(&'static str),
}

impl Origin {
    /// The output of helm for a chart.
    pub const HELM_TEMPLATE: Self = Self::Rendered("helm template");

    /// Whether a tool has rendered it.
    pub fn is_rendered(&self) -> bool {
        matches!(self, Self::Rendered(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.shown()),
            Self::StandardInput => f.write_str("<stdin>"),
            Self::Rendered(command) => write!(f, "<{command}>"),
        }
    }
}

/// How exact a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// The line of the value itself, or the line from which a tool makes the value.
    Line,
    /// Some line of the object that has the value.
    Object,
    /// Only the file; the place is its beginning.
    File,
}

impl Precision {
    /// The word for it in JSON and other output for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Object => "object",
            Self::File => "file",
        }
    }

    /// The word in a report, which has none for the line itself.
    pub fn unless_line(self) -> Option<&'static str> {
        (self != Self::Line).then_some(self.as_str())
    }
}

/// A place in the output of a tool. Displays as `<helm template>:980:27`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Printed {
    /// The command that printed the output, such as `helm template`.
    pub command: &'static str,
    /// The line and column in the output.
    pub at: LineColumn,
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>:{}", self.command, self.at)
    }
}

/// A place, displayed as `path:line:column`, which begins every message. If only the file is known, as `path (<helm template>:980:27)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The manifest, or the file from which it is rendered.
    pub origin: Origin,
    /// The line and column in `origin`.
    pub at: LineColumn,
    /// How exact `at` is.
    pub precision: Precision,
    /// The place of the value in the output of a tool. None if the file has the same line, or if no tool was run.
    pub printed: Option<Box<Printed>>,
}

impl Place {
    /// The directory of the file. None for other origins.
    pub fn dir(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => path.parent(),
            _ => None,
        }
    }

    /// The name of the file. None for other origins.
    pub fn file_name(&self) -> Option<&str> {
        match &self.origin {
            Origin::File(path) => path.file_name()?.to_str(),
            _ => None,
        }
    }

    /// A place in a manifest that is not rendered, or in rendered output whose file is unknown.
    pub fn new(origin: Origin, at: LineColumn) -> Self {
        Self { origin, at, precision: Precision::Line, printed: None }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = serializer.serialize_map(None)?;
        keys.serialize_entry("path", &self.origin.to_string())?;
        keys.serialize_entry("line", &self.at.line)?;
        keys.serialize_entry("column", &self.at.column)?;
        self.precision.unless_line().map_or(Ok(()), |word| keys.serialize_entry("precision", word))?;
        keys.end()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.precision, &self.printed) {
            (Precision::File, Some(printed)) => write!(f, "{} ({printed})", self.origin),
            _ => write!(f, "{}:{}", self.origin, self.at),
        }
    }
}
