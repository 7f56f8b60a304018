//! Reads all documents of a text as Argo CD does.

use std::path::Path;

use text::Span;

use super::split::{self, Pieces};
use super::{Document, SyntaxError, Tree, json_document};

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A stream of YAML documents or JSON values.
    Stream,
    /// A `.json` file: one JSON value.
    Json,
}

impl Form {
    /// The form in which Argo CD reads a file of this name in a directory.
    pub fn of_file(name: &Path) -> Self {
        if name.extension().is_some_and(|extension| extension == "json") { Self::Json } else { Self::Stream }
    }
}

/// Calls `then` with each piece of a text for which `may_matter` is true, and with what is read of it. The last call can be an error at which the
/// reader stops; its piece is the rest of the text.
pub fn each(
    text: &str,
    form: Form,
    may_matter: impl Fn(&str) -> bool,
    mut then: impl FnMut(Span, Result<Document<'_>, SyntaxError>),
) {
    let mut tree = Tree::default();
    let pieces = match form {
        Form::Stream => split::split(text),
        Form::Json => Pieces::whole(text),
    };
    let is_json = |index: usize| form == Form::Json || index < pieces.json;
    let error = if form == Form::Json { json_document::only_one(text).err() } else { pieces.error.clone() };
    for index in 0..pieces.len() {
        let span = pieces.span(index);
        let piece = span.of(text);
        if !may_matter(piece) || form == Form::Json && error.is_some() {
            continue;
        }
        let read = if is_json(index) {
            json_document::read(piece, &mut tree, |json| {
                then(span, Ok(json.document));
                Ok(())
            })
        } else {
            tree.read(piece).and_then(Document::checked).map(|document| then(span, Ok(document)))
        };
        if let Err(error) = read {
            then(span, Err(error.shifted(span.start)));
        }
    }
    if let Some(error) = error {
        let rest = Span::new(error.offset.min(text.len()), text.len());
        then(rest, Err(error));
    }
}
