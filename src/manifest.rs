//! A manifest: one text with its origin, and how Argo CD reads it there.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::text::{LineColumn, Lines, Origin, Place, Precision, Printed, Span};

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

/// Bytes of a rendered text that differ between renderings of the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Where they are.
    pub span: Span,
    /// True if two renderings in a row are equal and those of different days are not; false if all differ.
    pub is_dated: bool,
}

/// The file that a part of a rendered text comes from, and how much is known of the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path as messages name it.
    pub file: PathBuf,
    /// Where in it; the beginning when only the file is known.
    pub at: LineColumn,
    /// How much is known.
    pub precision: Precision,
    /// True when the line is the same in the file as in the rendered text, but for its indentation.
    pub is_same_line: bool,
}

/// Knows which files a rendered text comes from.
pub trait Files: fmt::Debug + Send + Sync {
    /// Where the byte `offset` of the rendered text `text` comes from; none when it is not known.
    fn find(&self, text: &str, offset: usize) -> Option<Found>;
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
    /// What a rendered text comes from.
    files: Option<Arc<dyn Files>>,
    /// The bytes that differ at every rendering, in their order. Where possible, a fixed word replaces them in the text.
    random: Arc<[Differing]>,
    /// Warnings about it that `generate` prints; the text itself is valid.
    pub warnings: Vec<String>,
    /// The regular file that has the text, as it was opened; none for a stream, a symlink, a revision, and what is rendered.
    pub file: Option<PathBuf>,
}

impl Manifest {
    /// A text from `origin`.
    pub fn new(origin: Origin, text: String, reader: Reader) -> Self {
        Self {
            origin,
            text,
            reader,
            lines: OnceLock::new(),
            files: None,
            random: Arc::default(),
            warnings: Vec::new(),
            file: None,
        }
    }

    /// The same manifest, with another text.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Self { text, lines: OnceLock::new(), ..self.clone() }
    }

    /// The same manifest, which is the text of this regular file; none when it is not known to be that of one.
    #[must_use]
    pub fn in_file(self, file: Option<PathBuf>) -> Self {
        Self { file, ..self }
    }

    /// The same manifest, which is rendered from these files. Places are then places in the files.
    #[must_use]
    pub fn rendered_from(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The manifest, with a note of the bytes that differ at every rendering.
    #[must_use]
    pub fn with_random(self, random: Vec<Differing>) -> Self {
        Self { random: random.into(), ..self }
    }

    /// The manifest with these warnings.
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// The parts of this span that differ at every rendering.
    pub fn random_in(&self, bytes: Span) -> &[Differing] {
        let first = self.random.partition_point(|random| random.span.end <= bytes.start);
        let end = self.random.partition_point(|random| random.span.start < bytes.end);
        self.random.get(first..end).unwrap_or_default()
    }

    /// True when the text has all the words by which Argo CD's directory reader distinguishes a broken manifest from another YAML file.
    pub fn looks_like_one(&self) -> bool {
        ["apiVersion:", "kind:", "metadata:"].iter().all(|word| self.text.contains(word))
    }

    /// The place of the byte `offset`, for a message: in the file that a rendered text comes from, when that is known.
    pub fn place(&self, offset: usize) -> Place {
        let at = self.at(offset);
        let found = self.files.as_ref().and_then(|files| files.find(&self.text, offset.min(self.text.len())));
        let (Some(found), Origin::Rendered(command)) = (found, &self.origin) else {
            return Place::new(self.origin.clone(), at);
        };
        let printed = (!found.is_same_line).then(|| Box::new(Printed { command, at }));
        Place { origin: Origin::File(found.file.into()), at: found.at, precision: found.precision, printed }
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
