//! What Argo CD refuses in a document that parses.
//!
//! Most documents have no alias, no merge key and no odd scalar; for those one pass over the nodes is enough. The others
//! are decoded as go-yaml decodes them, and the first refusal is the answer.

use super::parser::{self, Style};
use super::tree::{Kind, NodeId, Tree};
use super::value;
use super::{SyntaxError, resolve};

/// Refuses what the decoder would refuse. A document without content passes.
pub fn check(tree: &Tree, text: &str) -> Result<(), SyntaxError> {
    let Some(root) = tree.root() else { return Ok(()) };
    if tree.has_references() || tree.ids().any(|id| is_odd(tree, id, text)) || has_odd_key(tree, text) {
        value::value(tree, root, text)?;
    }
    Ok(())
}

/// A scalar that could be refused or mean something else than its characters say: tagged, composed, infinite.
fn is_odd(tree: &Tree, id: NodeId, text: &str) -> bool {
    let Kind::Scalar(style) = tree.kind(id) else { return false };
    if tree.tag(id).is_some() {
        return true;
    }
    let content = tree.content(id, text);
    if tree.is_composed(id) {
        return content.chars().any(|found| found >= '\x7f' || (found < ' ' && found != '\n' && found != '\t'));
    }
    style == Style::Plain
        && content.len() <= 5
        && content.starts_with(['.', '+', '-'])
        && matches!(resolve::plain(content), resolve::Scalar::Float(found) if !found.is_finite())
}

/// A key that is no scalar, null, a number beyond `int64`, or too long for the second reading.
fn has_odd_key(tree: &Tree, text: &str) -> bool {
    let mappings = tree.ids().filter(|id| matches!(tree.kind(*id), Kind::Mapping(_)));
    mappings.flat_map(|map| tree.entries(map)).any(|(key, _)| {
        let Kind::Scalar(style) = tree.kind(key) else { return true };
        let content = tree.content(key, text);
        content.len() > 1000
            || style == Style::Plain
                && (matches!(content, "" | "~" | "null" | "Null" | "NULL")
                    || content.len() > 18 && matches!(resolve::plain(content), resolve::Scalar::Float(_)))
    })
}

/// True when go-yaml's reader lets every character of `text` through.
pub fn is_readable(text: &str) -> bool {
    text.chars().all(parser::is_readable)
}
