//! From what a row says to a place in a manifest.

use super::{Finding, Remark, Row, Spot, State};
use crate::survey::{Survey, Surveyed, locate};
use crate::text::Span;

/// The finding of a remark.
pub(super) fn of_remark(row: &'static Row, remark: &Remark, survey: &Survey<'_>, state: State) -> Finding {
    let address = survey.objects[remark.object].address;
    let span = address.map(|address| {
        let manifest = &survey.manifests[address.manifest];
        let located = locate(manifest, address, &remark.path);
        // Of a map that lacks what the path names, the beginning is shown, not the whole of it.
        let span = located.span;
        let is_whole = located.depth == remark.path.len();
        (address.manifest, if is_whole { first_line(span, &manifest.text) } else { Span::new(span.start, span.start) })
    });
    let related = remark.related.iter().filter_map(|(object, path)| survey.place(*object, path)).collect();
    Finding {
        row,
        place: span.map(|(manifest, span)| survey.manifests[manifest].place(span.start)),
        span,
        shows_source: !survey.objects[remark.object].is_secret(),
        object: Some(remark.object),
        message: remark.message.clone(),
        help: remark.help.clone(),
        related,
        state,
    }
}

/// The finding of a spot in a piece of a manifest.
pub(super) fn of_spot(row: &'static Row, spot: Spot, manifest: usize, piece: Span, survey: &Survey<'_>) -> Finding {
    let shows_source = !survey.in_piece(manifest, piece).iter().any(Surveyed::is_secret);
    let start = piece.start;
    let text = &survey.manifests[manifest].text;
    let span = first_line(Span::new(start + spot.span.start, start + spot.span.end), text);
    Finding {
        row,
        place: Some(survey.manifests[manifest].place(span.start)),
        span: Some((manifest, span)),
        shows_source,
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
