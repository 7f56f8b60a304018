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
mod scalar;
mod verify;

use super::change::{Change, Target};
use super::node::Document;
use super::value::Value;
use super::{SyntaxError, json, split};
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
pub fn rewrite(document: Document<'_>, targets: &[Target]) -> Result<(String, EditKind), SyntaxError> {
    match in_place(document, targets) {
        Some(edits) => Ok((edits.apply(document.text()), EditKind::InPlace)),
        None => reemit(document, targets).map(|text| (text, EditKind::Reemitted)),
    }
}

/// The edits of the document's text that do the changes and nothing else, as reading the result again has shown. None when the changes
/// cannot be done in place. `targets` are sorted by their items, each item once.
pub fn in_place(document: Document<'_>, targets: &[Target]) -> Option<Edits> {
    plan::plan(document, targets).filter(|edits| verify::holds(document, &edits.apply(document.text()), targets))
}

/// The document as one line of JSON, with the changes done. A separator that opens it stays.
pub fn reemit(document: Document<'_>, targets: &[Target]) -> Result<String, SyntaxError> {
    let text = document.text();
    let Some(root) = document.root() else { return Ok(text.to_owned()) };
    let mut object = root.value()?;
    for target in targets {
        let changed = match (target.item, &mut object) {
            (None, object) => Some(object),
            (Some(index), Value::Map(map)) => match map.get_mut("items") {
                Some(Value::List(items)) => items.get_mut(index),
                _ => None,
            },
            _ => None,
        };
        if let Some(changed) = changed {
            Change::apply_all(&target.changes, changed);
        }
    }
    let eol = lines::line_break(text);
    let opening = if split::is_separator(text) { &text[..lines::after_line(text, 0)] } else { "" };
    let closing = if text.ends_with(['\n', '\r']) { eol } else { "" };
    Ok(format!("{opening}{}{closing}", json::print(&object, json::Form::Stream)))
}
