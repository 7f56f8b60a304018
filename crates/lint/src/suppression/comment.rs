//! Suppressions in comments: `# argocd-jobs: ignore[id, id] reason` on the line of a finding, or alone on the line above it.
//!
//! Only real YAML comments count, not the same text inside a scalar.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::{Document, Node};
use text::Span;

use super::{Scope, Suppression};
use crate::survey::Survey;
use crate::{Finding, Ignored, IgnoredBy, Rule, TextDiagnostic, place};

/// The first word of a comment that this program reads.
const WORD: &str = "argocd-jobs:";

/// A comment in a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    /// The bytes from the `#` to the end of the line, counted from the start of the document.
    span: Span,
    /// Whether only white space precedes the comment on its line.
    alone: bool,
}

/// A comment, and the document that contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedComment {
    /// The index of the manifest.
    pub(crate) manifest: usize,
    /// The piece of the manifest that contains the document.
    pub(crate) piece: Span,
    pub(crate) comment: Comment,
}

/// The suppressions in comments, and a finding for each comment that cannot be parsed.
pub(super) fn read(
    rule: &'static Rule,
    survey: &Survey<'_>,
    comments: impl Iterator<Item = PlacedComment>,
) -> (Vec<Suppression>, Vec<Finding>) {
    let with_line = |placed: PlacedComment| {
        let line = survey.manifests[placed.manifest].at(placed.piece.start + placed.comment.span.start).line;
        (placed, line)
    };
    let comments: Vec<(PlacedComment, usize)> = comments.map(with_line).collect();
    let alone = comments.iter().filter(|(placed, _)| placed.comment.alone);
    let stacked: BTreeSet<(usize, usize)> = alone.map(|(placed, line)| (placed.manifest, *line)).collect();
    let below = below(&stacked);
    let (mut suppressions, mut unused) = (Vec::new(), Vec::new());
    for (PlacedComment { manifest, piece, comment }, own) in comments {
        let line = below.get(&(manifest, own)).copied().unwrap_or(own);
        let scope = Scope::Line { manifest, line };
        let text = piece.of(&survey.manifests[manifest].text);
        let finding = |span: Span, message: &str, help: &'static str| {
            let diagnostic = TextDiagnostic { span, message: message.to_owned(), help: help.into() };
            let shows_source = place::may_show_piece(manifest, piece, survey);
            Finding { shows_source, ..place::of_text_diagnostic(rule, diagnostic, manifest, piece, survey) }
        };
        let Some((ids, reason)) = understand(text, comment.span) else {
            let help = "write `# argocd-jobs: ignore[id] reason`, with one or more ids";
            unused.push(finding(comment.span, "this comment is invalid, so it ignores nothing", help));
            continue;
        };
        suppressions.extend(ids.into_iter().map(|id| Suppression {
            id: id.of(text).to_owned(),
            scope,
            ignored: Ignored { by: IgnoredBy::Comment, reason: reason.clone() },
            template: finding(id, "", ""),
        }));
    }
    (suppressions, unused)
}

/// Maps each line with only a comment to the first line below it that has more than a comment.
fn below(stacked: &BTreeSet<(usize, usize)>) -> BTreeMap<(usize, usize), usize> {
    let mut below: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (manifest, line) in stacked.iter().rev() {
        let next = line + 1;
        below.insert((*manifest, *line), below.get(&(*manifest, next)).copied().unwrap_or(next));
    }
    below
}

/// The comments of a document that this program reads.
pub(crate) fn find(document: Document<'_>) -> Vec<Comment> {
    let text = document.text();
    if !text.contains(WORD) {
        return Vec::new();
    }
    let scalars: Vec<Span> = document.nodes().filter(|node| node.is_scalar()).map(Node::span).collect();
    let comments = text.match_indices(WORD).filter_map(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']).strip_suffix('#')?;
        let line = before.rsplit('\n').next().unwrap_or("");
        let opens = before.is_empty() || before.ends_with([' ', '\t', '\n', '\r']);
        let end = text[at..].find(['\n', '\r']).map_or(text.len(), |length| at + length);
        let comment = Comment { span: Span::new(before.len(), end), alone: line.trim().is_empty() };
        (opens && !is_in_a_scalar(&scalars, text, before.len())).then_some(comment)
    });
    comments.collect()
}

/// Whether `offset` is in a scalar. `scalars` are in the order of the text, so only the last one that begins before the offset can contain it.
fn is_in_a_scalar(scalars: &[Span], text: &str, offset: usize) -> bool {
    let before = scalars.partition_point(|span| span.start <= offset);
    let Some(span) = before.checked_sub(1).map(|last| scalars[last]).filter(|span| offset < span.end) else {
        return false;
    };
    // A block scalar can have a comment after its `|` or `>`, on the same line.
    let is_block = span.of(text).starts_with(['|', '>']);
    !is_block || text[span.start..offset].contains('\n')
}

/// The ids in a comment, and the reason after them. None if the comment is invalid.
fn understand(text: &str, span: Span) -> Option<(Vec<Span>, Option<String>)> {
    let rest = span.of(text).trim_start_matches('#').trim_start().strip_prefix(WORD)?;
    let rest = rest.trim_start().strip_prefix("ignore")?.trim_start().strip_prefix('[')?;
    let (list, reason) = rest.split_once(']')?;
    let mut at = span.end - rest.len();
    let mut ids = Vec::new();
    for item in list.split(',') {
        let begin = at + (item.len() - item.trim_start().len());
        at += item.len() + 1;
        if item.trim().is_empty() {
            return None;
        }
        ids.push(Span::new(begin, begin + item.trim().len()));
    }
    let reason = reason.trim();
    Some((ids, (!reason.is_empty()).then(|| reason.to_owned())))
}
