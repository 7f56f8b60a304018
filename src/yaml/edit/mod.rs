//! Changes → a new text in which nothing else is different.
//!
//! Edits are planned against the original text and done at once, in the style of the text around them: comments, quotes, order and
//! line ends stay. Then the new text is read again and compared with what was asked for. Where a shape cannot be edited in place
//! (aliases and merge keys in the way, duplicate keys, no `metadata`), the one document is printed as a line of JSON with the values
//! that Argo CD reads. Limits: comments of such a document are lost.

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

use super::SyntaxError;
use super::change::Changes;
use super::node::{Children, Document, Node};
use crate::text::Edits;
pub(crate) use lines::line_break;

/// How the new text was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// By edits of the original.
    InPlace,
    /// Printed as JSON.
    Reemitted,
}

/// The text of the document with the changes done. The error can only be one of reading the document.
pub fn rewrite(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Result<(String, EditKind), SyntaxError> {
    match edited(document, changes) {
        Some(text) => Ok((text, EditKind::InPlace)),
        None => reemit::reemit(document, changes).map(|text| (text, EditKind::Reemitted)),
    }
}

/// The edits of the document's text that do the changes and nothing else, as reading the result again has shown. None when the changes
/// cannot be done in place.
pub fn in_place(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Option<Edits> {
    plan::plan(document, changes).filter(|edits| verify::holds(document, &edits.apply(document.text()), changes))
}

/// The text that [`in_place`] makes. The edits are gone when it is read again: those of a long list need as much memory as reading it.
fn edited(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Option<String> {
    let text = plan::plan(document, changes)?.apply(document.text());
    verify::holds(document, &text, changes).then_some(text)
}

/// The document itself, and each item of its `items` with its index.
fn objects(root: Node<'_>) -> impl Iterator<Item = (Option<usize>, Node<'_>)> {
    iter::once((None, root)).chain(items(root).enumerate().map(|(index, item)| (Some(index), item)))
}

/// The items of a list of objects, aliases not followed; none of any other document.
fn items(root: Node<'_>) -> Children<'_> {
    root.get("items").unwrap_or(root).items()
}
