//! Places: a manifest or a file, with a line and a column.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::LineColumn;

/// Where a manifest came from, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A file, relative to the Application's source directory.
    File(Arc<Path>),
    /// Standard input.
    StandardInput,
    /// What this command printed.
    Rendered(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::StandardInput => f.write_str("<stdin>"),
            Self::Rendered(command) => write!(f, "<{command}>"),
        }
    }
}

/// How much is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// The line that has the value, or that a tool makes it from.
    Line,
    /// A line of the object that has the value.
    Object,
    /// Only the file; the place is its beginning.
    File,
}

impl Precision {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Object => "object",
            Self::File => "file",
        }
    }
}

/// A place in what a tool printed. Displays as `<helm template>:980:27`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Printed {
    /// The command that printed it.
    pub command: &'static str,
    /// Where in it.
    pub at: LineColumn,
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>:{}", self.command, self.at)
    }
}

/// `path:line:column`, the form in which every message begins. Where only the file is known, `path (<helm template>:980:27)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The manifest, or the file that it is rendered from.
    pub origin: Origin,
    /// Where in it.
    pub at: LineColumn,
    /// How much is known.
    pub precision: Precision,
    /// Where the value is in what a tool printed, unless its line is the same in the file.
    pub printed: Option<Box<Printed>>,
}

impl Place {
    /// The folder of the file; none for other origins.
    pub fn dir(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => path.parent(),
            _ => None,
        }
    }

    /// The name of the file; none for other origins.
    pub fn file_name(&self) -> Option<&str> {
        match &self.origin {
            Origin::File(path) => path.file_name()?.to_str(),
            _ => None,
        }
    }

    /// A place in a manifest that nothing was rendered from.
    pub fn new(origin: Origin, at: LineColumn) -> Self {
        Self { origin, at, precision: Precision::Line, printed: None }
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
