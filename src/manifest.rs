//! A manifest: one text with its origin, and how Argo CD reads it there.

use crate::text::{LineColumn, Origin, Place};

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
    /// The text.
    pub text: String,
    /// How it is read.
    pub reader: Reader,
}

impl Manifest {
    /// True when the text has all the words by which Argo CD's directory reader distinguishes a broken manifest from another YAML file.
    pub fn looks_like_one(&self) -> bool {
        ["apiVersion:", "kind:", "metadata:"].iter().all(|word| self.text.contains(word))
    }

    /// The place of the byte `offset`, for a message.
    pub fn place(&self, offset: usize) -> Place {
        Place { origin: self.origin.clone(), at: LineColumn::of(self.text.as_bytes(), offset) }
    }
}
