//! Finds Secrets at any depth. Their lines must not be shown.

use goyaml::{Document, Node, json_entry};
use rewrite::plan::Reading;
use text::Span;

use super::Survey;

/// The spans of Secrets in a document. The whole document if it cannot be read and may contain a Secret.
pub(super) fn spans(reading: &Reading<'_>) -> Vec<Span> {
    let text = reading.text();
    if !may_hold_one(text) {
        return Vec::new();
    }
    match reading {
        Reading::Accepted(document) => of_document(*document, text),
        // It has no places in the text.
        Reading::Printed { .. } if json_entry::has_entry(text, "kind", "Secret") == Some(false) => Vec::new(),
        Reading::Printed { .. } | Reading::Refused(_) | Reading::Unreadable(_) => vec![Span::new(0, text.len())],
    }
}

fn of_document(document: Document<'_>, text: &str) -> Vec<Span> {
    let is_secret = |node: &Node<'_>| node.is_map() && node.text_at(&["kind"]) == Some("Secret");
    let mut found: Vec<Span> = Vec::new();
    for span in document.nodes().filter(is_secret).map(Node::span) {
        // A Secret inside another Secret is already covered. White space after the last value belongs to the next node.
        if found.last().is_none_or(|last| last.end <= span.start) {
            found.push(Span::new(span.start, span.start + span.of(text).trim_end().len()));
        }
    }
    found
}

/// Whether the text may contain the word `Secret` for some reader.
pub fn may_hold_one(text: &str) -> bool {
    goyaml::may_contain(text, "Secret")
}

impl Survey<'_> {
    /// Whether these bytes of a manifest overlap a Secret.
    pub fn holds_secret(&self, manifest: usize, span: Span) -> bool {
        let next = self.secrets.partition_point(|(other, secret)| (*other, secret.end) <= (manifest, span.start));
        self.secrets.get(next).is_some_and(|(other, secret)| *other == manifest && secret.start < span.end)
    }

    /// The Secrets in a piece of a manifest.
    pub(super) fn secrets_in(&self, manifest: usize, piece: Span) -> &[(usize, Span)] {
        let until =
            |end: usize| self.secrets.partition_point(|(other, secret)| (*other, secret.start) < (manifest, end));
        &self.secrets[until(piece.start)..until(piece.end)]
    }

    /// Whether the line of a byte may be shown, because no part of it is in a Secret.
    pub fn may_show_line(&self, manifest: usize, offset: usize) -> bool {
        !self.holds_secret(manifest, self.manifests[manifest].line_around(offset))
    }
}
