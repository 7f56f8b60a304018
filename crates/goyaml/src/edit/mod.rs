//! Applies changes to a text and leaves every other byte as it is.
//!
//! Edits are planned against the original text, applied at once, and follow the style of the text around them: comments, quotes, order and line
//! ends stay. The new text is then read again and compared with the requested changes. Where the text cannot be edited in place (an alias or merge
//! key on the path, duplicate keys, no `metadata`), the document is printed as one line of JSON with the values that Argo CD reads, and loses its
//! comments.

mod block;
mod entry;
mod flow;
mod lines;
mod list;
mod map_changes;
mod plan;
mod reemit;
mod scalar;
mod verify;

use std::iter;

use text::Edits;

use super::SyntaxError;
use super::change::Changes;
use super::node::{Children, Document, Node};
pub use block::content_end;
pub use lines::{indentation, line_break, line_end, line_start};

/// How the new text was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// The original text was edited.
    InPlace,
    /// The document was printed as one line of JSON.
    Reemitted,
}

/// The text of the document with the changes applied. Fails only if the document cannot be read.
pub fn rewrite(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Result<(String, EditKind), SyntaxError> {
    match edited(document, changes) {
        Some(text) => Ok((text, EditKind::InPlace)),
        None => reemit::reemit(document, changes).map(|text| (text, EditKind::Reemitted)),
    }
}

/// The edits that make the changes and nothing else; the edited text was read again to prove it. None if the changes cannot be made in place.
pub fn in_place(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Option<Edits> {
    plan::plan(document, changes).filter(|edits| verify::holds(document, &edits.apply(document.text()), changes))
}

/// The text that [`in_place`] makes. Frees the edits before the text is read again: for a long list they need as much memory as the reading.
fn edited(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Option<String> {
    let text = plan::plan(document, changes)?.apply(document.text());
    verify::holds(document, &text, changes).then_some(text)
}

/// The document itself, then each item of its `items` with its index.
fn objects(root: Node<'_>) -> impl Iterator<Item = (Option<usize>, Node<'_>)> {
    iter::once((None, root)).chain(items(root).enumerate().map(|(index, item)| (Some(index), item)))
}

/// The items of a list of objects, without following aliases. Empty for any other document.
fn items(root: Node<'_>) -> Children<'_> {
    root.get("items").unwrap_or(root).items()
}
