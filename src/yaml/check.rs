//! What Argo CD refuses in a document that parses.
//!
//! Most documents have no alias, no merge key and no odd scalar; for those one pass over the nodes is enough. The others
//! are decoded as go-yaml decodes them, and the first refusal is the answer.

use super::node::{Document, Node};
use super::parser::{self, Style};
use super::tree::Kind;
use super::{Layout, SyntaxError, resolve};

impl Document<'_> {
    /// Returns the document, or the first thing in it that Argo CD refuses although it parses. A document without content passes.
    pub fn checked(self) -> Result<Self, SyntaxError> {
        let Some(root) = self.root() else { return Ok(self) };
        if let Some(offset) = question_mark(self) {
            let message = "Argo CD's reader does not accept `?` in an unquoted string inside `[]` or `{}`";
            return Err(SyntaxError::new(offset, message).with_help("put the string in quotes"));
        }
        if self.has_references() || self.nodes().any(is_odd) || self.nodes().any(has_odd_key) {
            root.value()?;
        }
        Ok(self)
    }
}

/// The first `?` in a plain scalar of a flow collection. There go-yaml v2 takes it for the beginning of a key (`yaml_parser_scan_plain_scalar`
/// in `scannerc.go`), and the parser below for a part of the text. kustomize's and helm's own files are read by go-yaml v3, which agrees
/// with the parser: this is for manifests only.
fn question_mark(document: Document<'_>) -> Option<usize> {
    memchr::memchr(b'?', document.text().as_bytes())?;
    let mut flow_end = 0;
    document.nodes().find_map(|node| {
        let span = node.span();
        match node.kind() {
            Kind::Sequence(Layout::Flow) | Kind::Mapping(Layout::Flow) => flow_end = flow_end.max(span.end),
            Kind::Scalar(Style::Plain) if span.start < flow_end && node.content().contains('?') => {
                // An anchor or a tag stands before the content.
                return span.of(document.text()).rfind('?').map(|at| span.start + at);
            }
            _ => {}
        }
        None
    })
}

/// A scalar that could be refused or mean something else than its characters say: tagged, composed, infinite.
fn is_odd(node: Node<'_>) -> bool {
    let Kind::Scalar(style) = node.kind() else { return false };
    if node.tag().is_some() {
        return true;
    }
    let content = node.content();
    if node.is_composed() {
        return content.chars().any(|char| char >= '\x7f' || (char < ' ' && char != '\n' && char != '\t'));
    }
    style == Style::Plain
        && content.len() <= 5
        && content.starts_with(['.', '+', '-'])
        && matches!(resolve::plain(content), resolve::Scalar::Float(number) if !number.is_finite())
}

/// A map with a key that is not a scalar, is null, is a number beyond `int64`, or is too long for the second reading.
fn has_odd_key(map: Node<'_>) -> bool {
    map.entries().any(|(key, _)| {
        let Kind::Scalar(style) = key.kind() else { return true };
        let content = key.content();
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
