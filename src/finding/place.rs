//! From what a row says to a place in a manifest.

use super::{Finding, Remark, Row, Spot, State};
use crate::survey::{Survey, Surveyed};
use crate::text::Span;

/// The finding of a remark.
pub(super) fn of_remark(row: &'static Row, remark: &Remark, survey: &Survey<'_>, state: State) -> Finding {
    let address = survey.objects[remark.object].address;
    let span = address.map(|address| {
        let manifest = &survey.manifests[address.manifest];
        let located = survey.locate(address, &remark.path);
        // Of a map that lacks what the path names, the beginning is shown, not the whole of it.
        let span = located.span;
        let is_whole = located.depth == remark.path.steps().len();
        (address.manifest, if is_whole { first_line(span, &manifest.text) } else { Span::new(span.start, span.start) })
    });
    let may_show = |(manifest, span): (usize, Span)| survey.may_show_line(manifest, span.start);
    let related = remark.related.iter().filter_map(|(object, path)| survey.place(*object, path)).collect();
    Finding {
        row,
        place: span.map(|(manifest, span)| survey.place_of(manifest, span.start)),
        span,
        shows_source: span.is_some_and(may_show) && !survey.objects[remark.object].is_secret(),
        object: Some(remark.object),
        message: remark.message.clone(),
        help: remark.help.clone(),
        related,
        state,
    }
}

/// True when the lines of a piece of a manifest can be shown: no Secret stands in it.
pub(super) fn may_show_piece(manifest: usize, piece: Span, survey: &Survey<'_>) -> bool {
    !survey.holds_secret(manifest, piece) && !survey.in_piece(manifest, piece).iter().any(Surveyed::is_secret)
}

/// The finding of a spot in a piece of a manifest.
pub(super) fn of_spot(row: &'static Row, spot: Spot, manifest: usize, piece: Span, survey: &Survey<'_>) -> Finding {
    let start = piece.start;
    let text = &survey.manifests[manifest].text;
    let span = first_line(Span::new(start + spot.span.start, start + spot.span.end), text);
    Finding {
        row,
        place: Some(survey.place_of(manifest, span.start)),
        span: Some((manifest, span)),
        shows_source: survey.may_show_line(manifest, span.start),
        object: None,
        message: spot.message,
        help: spot.help,
        related: Vec::new(),
        state: State::Open,
    }
}

/// The part of a span that is on its first line.
fn first_line(span: Span, text: &str) -> Span {
    let line = span.of(text).lines().next().unwrap_or("").trim_end();
    Span::new(span.start, span.start + line.len())
}
