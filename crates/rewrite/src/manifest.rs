//! A manifest: a text, where it comes from, and which of Argo CD's readers reads it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use goyaml::split::Pieces;
use text::{LineColumn, Lines, Origin, Place, Precision, Printed, Span};

/// Which of Argo CD's readers reads the text. It decides which texts are errors and which are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The reader of a stream, such as the output of a plugin. Everything in it counts, and every mistake is an error.
    Stream,
    /// The reader of a `.yaml` or `.yml` file in a directory. It ignores a file with an error if no object precedes the error and the text does not
    /// look like a manifest (`getObjsFromYAMLOrJSON` in `reposerver/repository/repository.go`).
    DirectoryYaml,
    /// The reader of a `.json` file in a directory, which must contain exactly one object. It reads JSON, not YAML.
    DirectoryJson,
}

impl Reader {
    /// Whether Argo CD reads a piece of the text as JSON, and not as YAML.
    pub(crate) fn reads_as_json(self, pieces: &Pieces, piece: Span) -> bool {
        match self {
            Self::Stream => false,
            Self::DirectoryYaml => pieces.json > 0 && piece.end <= pieces.span(pieces.json - 1).end,
            Self::DirectoryJson => true,
        }
    }
}

/// Bytes of a rendered text that differ between renderings of the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The bytes that differ.
    pub span: Span,
    /// True if they differ only from day to day, false if they differ at every rendering.
    pub is_dated: bool,
}

/// The file from which a part of a rendered text comes, and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path as messages name it.
    pub file: PathBuf,
    /// The path on disk, in which symlinks are not followed.
    pub path: PathBuf,
    /// The line and column in the file. The start of the file, if only the file is known.
    pub at: LineColumn,
    /// How exact `at` is.
    pub precision: Precision,
    /// Whether the line is the same in the file and in the rendered text, apart from indentation.
    pub is_same_line: bool,
}

/// Finds the files that a rendered text comes from.
pub trait Files: fmt::Debug + Send + Sync {
    /// The place that the byte `offset` of the rendered `text` comes from. None if it is unknown.
    fn find(&self, text: &str, offset: usize) -> Option<Found>;
}

/// What a template reads, if a finding is about it: a value that is always the same under Argo CD, which renders without a cluster and without a
/// release (`template` in `util/helm/cmd.go`), or a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixedValue {
    /// The function `lookup`, which finds nothing.
    Lookup,
    /// `.Release.Revision`, which is 1.
    Revision,
    /// `.Release.IsUpgrade`, which is false, or `.Release.IsInstall`, which is true.
    IsUpgrade,
    /// A checksum of nothing but another template, in the name of the object.
    OtherFile,
}

/// The read of such a value, in the template of a rendered document or in what that includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateRead {
    /// The document.
    pub piece: Span,
    /// The value.
    pub value: FixedValue,
    /// The file, line and column of the first read, for a message.
    pub place: String,
}

/// A part of a chart or a kustomization that was left out when it was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// A dependency, by its name.
    Dependency(String),
    /// All but one of the copies of a dependency that `charts/` has more than once: helm takes any of them.
    Copies {
        /// The dependency.
        of: String,
        /// The folders and packages, below the chart.
        all: Vec<String>,
    },
    /// The schema of the values.
    Schema,
    /// A generator of a kustomization that cannot run here, by its kind and its file.
    Generator {
        /// Its kind.
        kind: String,
        /// Its file, below the root of the repository.
        file: String,
    },
}

impl LeftOut {
    /// Whether it makes objects, which are missing then.
    pub fn has_objects(&self) -> bool {
        !matches!(self, Self::Schema)
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dependency(name) => write!(f, "the dependency `{name}`"),
            Self::Copies { of, .. } => write!(f, "all but one copy of `{of}` in `charts`"),
            Self::Schema => f.write_str("the schema"),
            Self::Generator { kind, file } => write!(f, "the generator `{kind}` in `{file}`"),
        }
    }
}

/// What the templates of a chart do apart from what they print for Argo CD.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// What they print for an upgrade of the release. None if it is the same.
    pub upgrade: Option<Manifest>,
    /// The reads of values that are always the same under Argo CD, sorted by document and value. `IsUpgrade` is among them only if the chart cannot be rendered for an upgrade.
    pub reads: Vec<TemplateRead>,
}

/// One manifest: UTF-8 text without a byte order mark, and its origin.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Where the manifest comes from, for messages.
    pub origin: Origin,
    /// The text. It never changes; [`Manifest::with_text`] makes another manifest.
    pub text: String,
    /// The reader of Argo CD that reads the manifest.
    pub reader: Reader,
    /// Counted at the first request for a place. Cached, because there can be a request for each of thousands of Jobs.
    lines: OnceLock<Lines>,
    /// The files that a rendered text comes from. None for a text that is not rendered, and if they are unknown.
    files: Option<Arc<dyn Files>>,
    /// The bytes that differ between renderings, in order. Where possible, the text has a fixed word in their place.
    random: Arc<[Differing]>,
    /// What else its templates do. None if that is nothing.
    chart: Option<Arc<Chart>>,
    /// Warnings about the manifest for `generate` to print. The text itself is valid.
    pub warnings: Vec<String>,
    /// What was left out when it was rendered, because it was not there.
    pub without: Vec<LeftOut>,
    /// The regular file with this text, as it was opened. None for a stream, a symlink, a revision, and rendered text.
    pub file: Option<PathBuf>,
}

impl Manifest {
    /// A manifest that is not rendered, without warnings.
    pub fn new(origin: Origin, text: String, reader: Reader) -> Self {
        Self {
            origin,
            text,
            reader,
            lines: OnceLock::new(),
            files: None,
            random: Arc::default(),
            chart: None,
            warnings: Vec::new(),
            without: Vec::new(),
            file: None,
        }
    }

    /// The same manifest with another text.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Self { text, lines: OnceLock::new(), ..self.clone() }
    }

    /// The same manifest, read from this regular file. None if it is not known to be the text of a regular file.
    #[must_use]
    pub fn in_file(self, file: Option<PathBuf>) -> Self {
        Self { file, ..self }
    }

    /// The same manifest, rendered from these files. Its places are then places in the files.
    #[must_use]
    pub fn rendered_from(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The same manifest, with places in the output of the tool: its files are not there any more.
    #[must_use]
    pub fn without_places(self) -> Self {
        Self { files: None, ..self }
    }

    /// The same manifest, with the bytes that differ between renderings.
    #[must_use]
    pub fn with_random(self, random: Vec<Differing>) -> Self {
        Self { random: random.into(), ..self }
    }

    /// The same manifest, with what else its templates do.
    #[must_use]
    pub fn with_chart(self, chart: Chart) -> Self {
        let chart = Some(chart).filter(|chart| chart.upgrade.is_some() || !chart.reads.is_empty());
        Self { chart: chart.map(Arc::new), ..self }
    }

    /// Whether helm has rendered it.
    pub fn is_of_a_chart(&self) -> bool {
        self.origin == Origin::HELM_TEMPLATE
    }

    /// What its templates print for an upgrade. None if it is the same.
    pub fn upgrade(&self) -> Option<&Self> {
        self.chart.as_ref()?.upgrade.as_ref()
    }

    /// The read of this value in the templates of a document. None if they do not read it.
    pub fn template_read(&self, piece: Span, value: FixedValue) -> Option<&TemplateRead> {
        let reads = &self.chart.as_ref()?.reads;
        let key = |read: &TemplateRead| (read.piece.start, read.value);
        reads.binary_search_by_key(&(piece.start, value), key).ok().map(|found| &reads[found])
    }

    /// The same manifest, with these warnings.
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// The same manifest, for which these were left out.
    #[must_use]
    pub fn rendered_without(self, without: Vec<LeftOut>) -> Self {
        Self { without, ..self }
    }

    /// The parts of this span that differ between renderings.
    pub fn random_in(&self, bytes: Span) -> &[Differing] {
        let first = self.random.partition_point(|random| random.span.end <= bytes.start);
        let end = self.random.partition_point(|random| random.span.start < bytes.end);
        self.random.get(first..end).unwrap_or_default()
    }

    /// Whether the text contains all words by which Argo CD's directory reader recognizes a broken manifest among other YAML files.
    pub fn looks_like_one(&self) -> bool {
        ["apiVersion:", "kind:", "metadata:"].iter().all(|word| self.text.contains(word))
    }

    /// The place of the byte `offset`, for a message. For a rendered text this is the place in the source file, if it is known.
    pub fn place(&self, offset: usize) -> Place {
        let at = self.at(offset);
        let found = self.found(offset);
        let (Some(found), Origin::Rendered(command)) = (found, &self.origin) else {
            return Place::new(self.origin.clone(), at);
        };
        let printed = (!found.is_same_line).then(|| Box::new(Printed { command, at }));
        Place { origin: Origin::File(found.file.into()), at: found.at, precision: found.precision, printed }
    }

    /// The file that the byte `offset` of a rendered text comes from, and the place in it. None for a text that is not rendered, and if it is unknown.
    pub fn found(&self, offset: usize) -> Option<Found> {
        self.files.as_ref()?.find(&self.text, offset.min(self.text.len()))
    }

    /// The line and column of the byte `offset`. An offset past the end means the end.
    pub fn at(&self, offset: usize) -> LineColumn {
        self.lines().at(&self.text, offset)
    }

    /// The byte offset of a place. If the line or the text is too short, its end.
    pub fn offset(&self, at: LineColumn) -> usize {
        self.lines().offset(&self.text, at)
    }

    /// The line with the byte `offset`, without its line break.
    pub fn line_around(&self, offset: usize) -> Span {
        self.lines().around(&self.text, offset)
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(&self.text))
    }
}
