//! Visits each document while the plan reads it, so that `check` and `preview` need not read it again.

use goyaml::split::Pieces;
use goyaml::{Document, Tree};
use text::Span;

use super::counted::{Counted, Size};
use super::{Request, parallel};

/// One document of a manifest, depending on how far it can be read.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'r> {
    /// Argo CD's reader accepts the document.
    Accepted(Document<'r>),
    /// Argo CD's reader accepts the document as JSON. As YAML it would mean something else, so it is read from JSON that is printed again.
    Printed {
        /// The document, which has places in the printed JSON only.
        document: Document<'r>,
        /// The text of the piece.
        piece: &'r str,
    },
    /// The document parses, but Argo CD's reader refuses it.
    Refused(Document<'r>),
    /// The text does not parse.
    Unreadable(&'r str),
}

impl<'r> Reading<'r> {
    fn of(text: &'r str, tree: &'r mut Tree) -> Self {
        match tree.read(text) {
            Ok(document) if document.checked().is_ok() => Self::Accepted(document),
            Ok(document) => Self::Refused(document),
            Err(_) => Self::Unreadable(text),
        }
    }

    /// The text of the piece, with the separator before it if there is one.
    pub fn text(&self) -> &'r str {
        match self {
            Self::Accepted(document) | Self::Refused(document) => document.text(),
            Self::Printed { piece: text, .. } | Self::Unreadable(text) => text,
        }
    }

    /// The document, with its places in the piece. None if the piece does not parse as YAML.
    pub fn placed(&self) -> Option<Document<'r>> {
        match self {
            Self::Accepted(document) | Self::Refused(document) => Some(*document),
            Self::Printed { .. } | Self::Unreadable(_) => None,
        }
    }

    /// The document. None if Argo CD's reader refuses it.
    pub fn accepted(&self) -> Option<Document<'r>> {
        match self {
            Self::Accepted(document) | Self::Printed { document, .. } => Some(*document),
            Self::Refused(_) | Self::Unreadable(_) => None,
        }
    }
}

/// Decides what is kept of each document.
pub trait Visitor: Sync {
    /// The part that is kept.
    type Kept: Send;

    /// The part of one document that is kept.
    fn visit(&self, reading: &Reading<'_>) -> Self::Kept;

    /// What is kept of the document with this text, and its size, if an earlier plan has found that it adds nothing but an object. Then it is not
    /// read again.
    fn known(&self, _text: &str) -> Option<(Size, Self::Kept)> {
        None
    }
}

/// The visitor of `generate`, which keeps nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepNothing;

impl Visitor for KeepNothing {
    type Kept = ();

    fn visit(&self, _: &Reading<'_>) {}
}

/// The kept part of one document.
#[derive(Clone, Debug)]
pub struct Visited<T> {
    /// The index of the document's manifest.
    pub manifest: usize,
    /// The piece of the manifest that contains the document.
    pub piece: Span,
    /// The size of the document, if it adds only an object to the plan, whatever the settings are.
    pub plain: Option<Size>,
    /// The kept part.
    pub kept: T,
}

/// Visits the documents that the plan did not visit: the first document of a manifest that cannot be read, and all after it. `visited` and the
/// result are in the order of the manifests, without manifests that Argo CD ignores.
pub(super) fn visit_the_rest<V: Visitor>(
    request: &Request<'_>,
    (pieces, ignored): (&[Pieces], &[bool]),
    visited: Vec<Visited<V::Kept>>,
    (visitor, counted): (&V, Counted<'_>),
) -> Vec<Visited<V::Kept>> {
    if counted.together.excess().is_some() {
        return Vec::new();
    }
    let known: Vec<(usize, Span)> = visited.iter().map(|one| (one.manifest, one.piece)).collect();
    let rest = parallel::each_piece(pieces, |manifest, piece, tree| {
        if ignored[manifest] || known.binary_search(&(manifest, piece)).is_ok() {
            return None;
        }
        let reading = Reading::of(piece.of(&request.manifests[manifest].text), tree);
        counted.may_keep(reading.accepted())?;
        Some(Visited { manifest, piece, plain: None, kept: visitor.visit(&reading) })
    });
    let mut all = visited;
    all.retain(|one| !ignored[one.manifest]);
    if !rest.is_empty() {
        all.extend(rest);
        all.sort_by_key(|one| (one.manifest, one.piece));
    }
    all
}
