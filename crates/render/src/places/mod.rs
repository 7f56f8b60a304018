//! Finds the files of the repository that a rendered text comes from, for messages. It never changes the rendered
//! text.
//!
//! The tools report the file of each document (`helm/sources.rs`, `kustomize/annotations.rs`). The files are read
//! after the rendering (`files.rs`). When a message needs a place, it is searched for in the file: by lines in the
//! template of a chart (`template.rs`), by the path of keys in a manifest (`object.rs`).

mod files;
mod lines;
mod object;
mod template;

use std::sync::OnceLock;

use goyaml::split;
use rewrite::manifest::{Files, Found};
use text::{LineColumn, Precision, Span};

use files::SourceFile;
pub(crate) use files::{Reader, Shown};
use object::Objects;
use template::Template;

/// The maximum size, in bytes, of a rendered document or of a file in which a line is searched for: there can be
/// thousands of places, one for each Job.
const MAX_SEARCHED: usize = 128 << 10;

/// The maximum number of bytes that are read to search for one value in all files of parts.
const MAX_SEARCHED_IN_PARTS: usize = 1 << 20;

/// A document of the rendered text, and the file that it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document {
    /// The offset of its first byte. The next document ends it.
    pub(crate) start: usize,
    /// The number of the file in the reader; `None` when the file is unknown.
    pub(crate) file: Option<usize>,
    /// The offset of the file's text in the output, if the document is an unchanged copy of the file.
    pub(crate) copy: Option<usize>,
}

/// How a place is searched for in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The file is a template: search for a line.
    Lines,
    /// The file is a manifest: search for an object.
    Objects,
}

/// The documents of a rendered text, in order, and their files.
#[derive(Debug)]
pub(crate) struct Places {
    documents: Vec<Document>,
    files: Vec<Searchable>,
    search: Search,
    /// The numbers of files that may have a part of any object, such as patches.
    parts: Vec<usize>,
}

/// A file, and its parsed text. The text is parsed when a place in the file is first searched for.
#[derive(Debug)]
struct Searchable {
    file: SourceFile,
    template: OnceLock<Template>,
    objects: OnceLock<Objects>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// A line; `is_same` is true when the rendered line is equal to it.
    Line { at: LineColumn, is_same: bool },
    /// The start of the object.
    Object(LineColumn),
}

impl Places {
    /// The places of a text with these documents, in the files that `reader` has read.
    pub(crate) fn new(documents: Vec<Document>, reader: Reader, search: Search) -> Self {
        let searchable = |file| Searchable { file, template: OnceLock::new(), objects: OnceLock::new() };
        let files = reader.into_files().into_iter().map(searchable).collect();
        Self { documents, files, search, parts: Vec::new() }
    }

    /// The same places, where a value that is not in the file of its object can be in these files of the reader.
    pub(crate) fn with_parts(self, parts: Vec<usize>) -> Self {
        Self { parts, ..self }
    }

    /// The only line of the files of parts that has the value at the byte `inside` of the document `rendered`: the file, and the place in it.
    fn in_parts(&self, rendered: &str, inside: usize) -> Option<(&SourceFile, Known)> {
        if rendered.len().saturating_mul(self.parts.len()) > MAX_SEARCHED_IN_PARTS {
            return None;
        }
        let find = |number: &usize| {
            let searchable = self.files.get(*number)?;
            let content = searchable.file.text.as_deref().filter(|content| content.len() <= MAX_SEARCHED)?;
            let known = searchable.objects.get_or_init(|| Objects::read(content)).find_part(rendered, inside)?;
            matches!(known, Known::Line { .. }).then_some((&searchable.file, known))
        };
        let mut found = self.parts.iter().filter_map(find);
        found.next().filter(|_| found.next().is_none())
    }

    /// The document that contains the byte `offset` of `text`, and its span.
    fn document(&self, text: &str, offset: usize) -> Option<(Document, Span)> {
        let next = self.documents.partition_point(|document| document.start <= offset);
        let document = *self.documents.get(next.checked_sub(1)?)?;
        let end = self.documents.get(next).map_or(text.len(), |next| next.start);
        Some((document, Span::new(document.start, end)))
    }
}

impl Files for Places {
    fn find(&self, text: &str, offset: usize) -> Option<Found> {
        let offset = (0..=offset).rev().find(|at| text.is_char_boundary(*at))?;
        let (document, span) = self.document(text, offset)?;
        let searchable = self.files.get(document.file?)?;
        let own = &searchable.file;
        let SourceFile { shown, path, text: content } = own;
        if let Some((from, content)) = document.copy.filter(|from| *from <= offset).zip(content.as_deref()) {
            let at = LineColumn::of(content.as_bytes(), offset - from);
            return Some(Found {
                file: shown.clone(),
                path: path.clone(),
                at,
                precision: Precision::Line,
                is_same_line: true,
            });
        }
        let content = content.as_deref().filter(|content| content.len() <= MAX_SEARCHED);
        let rendered = Some(span.of(text)).filter(|rendered| rendered.len() <= MAX_SEARCHED);
        let known = content.zip(rendered).and_then(|(content, rendered)| {
            let inside = offset - span.start;
            match self.search {
                Search::Lines => searchable.template.get_or_init(|| Template::read(content)).find(rendered, inside),
                Search::Objects => searchable.objects.get_or_init(|| Objects::read(content)).find(rendered, inside),
            }
        });
        let is_line = matches!(known, Some(Known::Line { .. }));
        let part = rendered.filter(|_| !is_line).and_then(|rendered| self.in_parts(rendered, offset - span.start));
        let (file, known) = part.map_or((own, known), |(part, line)| (part, Some(line)));
        let (at, precision, is_same_line) = match known {
            Some(Known::Line { at, is_same }) => (at, Precision::Line, is_same),
            Some(Known::Object(at)) => (at, Precision::Object, false),
            None => (LineColumn { line: 1, column: 1 }, Precision::File, false),
        };
        Some(Found { file: file.shown.clone(), path: file.path.clone(), at, precision, is_same_line })
    }
}

/// The spans of the documents that Argo CD's reader finds in a text.
pub(crate) fn pieces(text: &str) -> Vec<Span> {
    let pieces = split::split(text);
    (0..pieces.len()).map(|index| pieces.span(index)).collect()
}
