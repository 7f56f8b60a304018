//! From a diagnostic to a finding with its place in a manifest.

use super::{Diagnostic, Finding, Rule, State, TextDiagnostic};
use crate::survey::{ObjectPair, Survey};
use crate::text::Span;

/// The finding of a diagnostic.
pub(super) fn of_diagnostic(
    rule: &'static Rule,
    diagnostic: &Diagnostic,
    survey: &Survey<'_>,
    state: State,
) -> Finding {
    let address = survey.objects[diagnostic.object].address;
    let span = address.map(|address| {
        let manifest = &survey.manifests[address.manifest];
        let located = survey.locate(address, &diagnostic.path);
        // If the path ends early, point at the start of the map that lacks the key, not at all of it.
        let span = located.span;
        let is_whole = located.depth == diagnostic.path.steps().len();
        (address.manifest, if is_whole { first_line(span, &manifest.text) } else { Span::new(span.start, span.start) })
    });
    let may_show = |(manifest, span): (usize, Span)| survey.may_show_line(manifest, span.start);
    let related = diagnostic.related.iter().filter_map(|(object, path)| survey.place(*object, path)).collect();
    Finding {
        rule,
        place: span.map(|(manifest, span)| survey.manifests[manifest].place(span.start)),
        span,
        shows_source: span.is_some_and(may_show) && !survey.objects[diagnostic.object].is_secret(),
        object: Some(diagnostic.object),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        related,
        state,
    }
}

/// True when the lines of a piece of a manifest may be shown: it contains no Secret.
pub(super) fn may_show_piece(manifest: usize, piece: Span, survey: &Survey<'_>) -> bool {
    !survey.holds_secret(manifest, piece) && !survey.in_piece(manifest, piece).iter().any(ObjectPair::is_secret)
}

/// The finding of a diagnostic in a piece of a manifest.
pub(super) fn of_text_diagnostic(
    rule: &'static Rule,
    diagnostic: TextDiagnostic,
    manifest: usize,
    piece: Span,
    survey: &Survey<'_>,
) -> Finding {
    let start = piece.start;
    let text = &survey.manifests[manifest].text;
    let span = first_line(Span::new(start + diagnostic.span.start, start + diagnostic.span.end), text);
    Finding {
        rule,
        place: Some(survey.manifests[manifest].place(span.start)),
        span: Some((manifest, span)),
        shows_source: survey.may_show_line(manifest, span.start),
        object: None,
        message: diagnostic.message,
        help: diagnostic.help,
        related: Vec::new(),
        state: State::Open,
    }
}

/// The part of a span on its first line.
fn first_line(span: Span, text: &str) -> Span {
    let line = span.of(text).lines().next().unwrap_or("").trim_end();
    Span::new(span.start, span.start + line.len())
}
