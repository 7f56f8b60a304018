//! A manifest: one text with its origin, and how Argo CD reads it there.

use std::sync::OnceLock;

use crate::text::{LineColumn, Lines, Origin, Place, Span};

/// Which of Argo CD's readers the text was meant for. It decides what is an error and what is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A stream, as a plugin prints it: everything in it counts, every error is one.
    Stream,
    /// A `.yaml` or `.yml` file of a directory: ignored when it cannot be read, nothing was read before the error, and the
    /// text does not look like a manifest (`getObjsFromYAMLOrJSON` in `reposerver/repository/repository.go`).
    DirectoryYaml,
    /// A `.json` file of a directory: exactly one object, read as JSON and not as YAML.
    DirectoryJson,
}

/// One manifest: UTF-8 text without a byte order mark, and where it came from.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Named in messages.
    pub origin: Origin,
    /// The text, which does not change.
    pub text: String,
    /// How it is read.
    pub reader: Reader,
    /// Counted when the first place is asked for, because there can be one for each of thousands of Jobs.
    lines: OnceLock<Lines>,
}

impl Manifest {
    /// A text from `origin`.
    pub fn new(origin: Origin, text: String, reader: Reader) -> Self {
        Self { origin, text, reader, lines: OnceLock::new() }
    }

    /// True when the text has all the words by which Argo CD's directory reader distinguishes a broken manifest from another YAML file.
    pub fn looks_like_one(&self) -> bool {
        ["apiVersion:", "kind:", "metadata:"].iter().all(|word| self.text.contains(word))
    }

    /// The place of the byte `offset`, for a message.
    pub fn place(&self, offset: usize) -> Place {
        Place { origin: self.origin.clone(), at: self.at(offset) }
    }

    /// The line and column of the byte `offset`; past the end counts as the end.
    pub fn at(&self, offset: usize) -> LineColumn {
        self.lines().at(&self.text, offset)
    }

    /// The byte at a place; the end of the line, or of the text, when it is shorter.
    pub fn offset(&self, at: LineColumn) -> usize {
        self.lines().offset(&self.text, at)
    }

    /// The line of the byte `offset`, without its end.
    pub fn line_around(&self, offset: usize) -> Span {
        self.lines().around(&self.text, offset)
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(&self.text))
    }
}
