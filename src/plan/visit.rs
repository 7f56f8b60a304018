//! Looks at each document while it is read for the plan, so that `check` and `preview` need not read it again.

use super::{Request, parallel};
use crate::text::Span;
use crate::yaml::split::Pieces;
use crate::yaml::{Tree, check};

/// One document of a manifest, read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'r> {
    /// The text of the piece, with the separator before it when there is one.
    pub text: &'r str,
    /// The nodes in the text; none when the text cannot be read.
    pub tree: Option<&'r Tree>,
    /// True when Argo CD's reader accepts the document.
    pub is_accepted: bool,
}

/// Keeps something of each document.
pub trait Visitor: Sync {
    /// What is kept.
    type Kept: Send;
    /// False when nothing is kept of any document: then no document is visited.
    const KEEPS: bool = true;

    /// Returns what is kept of one document.
    fn visit(&self, reading: &Reading<'_>) -> Self::Kept;
}

/// Keeps nothing, for `generate`.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepNothing;

impl Visitor for KeepNothing {
    type Kept = ();
    const KEEPS: bool = false;

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
    visitor: &V,
) -> Vec<Visited<V::Kept>> {
    let known: Vec<(usize, Span)> = visited.iter().map(|one| (one.manifest, one.piece)).collect();
    let rest = parallel::each_piece(pieces, |manifest, piece, tree| {
        if ignored[manifest] || known.binary_search(&(manifest, piece)).is_ok() {
            return None;
        }
        let text = piece.of(&request.manifests[manifest].text);
        let is_read = tree.read(text).is_ok();
        let is_accepted = is_read && check::check(tree, text).is_ok();
        let reading = Reading { text, tree: is_read.then_some(&*tree), is_accepted };
        Some(Visited { manifest, piece, kept: visitor.visit(&reading) })
    });
    let mut all: Vec<_> =
        visited.into_iter().filter(|one| !ignored[one.manifest]).chain(rest.into_iter().flatten()).collect();
    all.sort_by_key(|one| (one.manifest, one.piece));
    all
}
