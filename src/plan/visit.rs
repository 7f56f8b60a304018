//! Looks at each document while it is read for the plan, so that `check` and `preview` need not read it again.

use super::counted::Counted;
use super::{Request, parallel};
use crate::text::Span;
use crate::yaml::split::Pieces;
use crate::yaml::{Document, Tree};

/// One document of a manifest, read as far as it can be.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'r> {
    /// Argo CD's reader accepts the document.
    Accepted(Document<'r>),
    /// It parses, and Argo CD's reader refuses it.
    Refused(Document<'r>),
    /// The text of a piece that does not parse.
    Unreadable(&'r str),
}

impl<'r> Reading<'r> {
    /// Reads a text.
    fn of(text: &'r str, tree: &'r mut Tree) -> Self {
        match tree.read(text) {
            Ok(document) if document.checked().is_ok() => Self::Accepted(document),
            Ok(document) => Self::Refused(document),
            Err(_) => Self::Unreadable(text),
        }
    }

    /// The text of the piece, with the separator before it when there is one.
    pub fn text(&self) -> &'r str {
        match self {
            Self::Accepted(document) | Self::Refused(document) => document.text(),
            Self::Unreadable(text) => text,
        }
    }

    /// The document, when it parses.
    pub fn document(&self) -> Option<Document<'r>> {
        match self {
            Self::Accepted(document) | Self::Refused(document) => Some(*document),
            Self::Unreadable(_) => None,
        }
    }

    /// The document, when Argo CD's reader accepts it.
    pub fn accepted(&self) -> Option<Document<'r>> {
        match self {
            Self::Accepted(document) => Some(*document),
            Self::Refused(_) | Self::Unreadable(_) => None,
        }
    }
}

/// Keeps something of each document.
pub trait Visitor: Sync {
    /// What is kept.
    type Kept: Send;

    /// Returns what is kept of one document.
    fn visit(&self, reading: &Reading<'_>) -> Self::Kept;
}

/// Keeps nothing, for `generate`.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepNothing;

impl Visitor for KeepNothing {
    type Kept = ();

    fn visit(&self, _: &Reading<'_>) {}
}

impl<T: Send, F: Fn(&Reading<'_>) -> T + Sync> Visitor for F {
    type Kept = T;

    fn visit(&self, reading: &Reading<'_>) -> T {
        self(reading)
    }
}

/// What was kept of one document.
#[derive(Clone, Debug)]
pub struct Visited<T> {
    /// The index of its manifest.
    pub manifest: usize,
    /// The piece of the manifest.
    pub piece: Span,
    /// What was kept.
    pub kept: T,
}

/// Adds the documents that the plan did not visit: JSON, documents behind one that cannot be read, and that one itself. `visited` is
/// in the order of the manifests, and so is the result. Manifests that Argo CD ignores are left out.
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
        counted.may_keep(reading.accepted()).then(|| Visited { manifest, piece, kept: visitor.visit(&reading) })
    });
    let mut all = visited;
    all.retain(|one| !ignored[one.manifest]);
    if !rest.is_empty() {
        all.extend(rest);
        all.sort_by_key(|one| (one.manifest, one.piece));
    }
    all
}
