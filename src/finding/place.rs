//! From what a row says to a place in a manifest.

use super::{Finding, Remark, Row, Spot, State};
use crate::kubernetes::object;
use crate::survey::{Address, Survey, Surveyed, locate};
use crate::text::Span;
use crate::yaml::Tree;

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

/// The index of the object in which a byte of a manifest stands.
pub(super) fn object_at(manifest: usize, offset: usize, survey: &Survey<'_>) -> Option<usize> {
    let is_before = |address: Address| (address.manifest, address.piece.end) <= (manifest, offset);
    let first = survey.objects.partition_point(|object| object.address.is_some_and(is_before));
    let address = survey.objects.get(first)?.address?;
    if address.manifest != manifest || offset < address.piece.start || address.item.is_none() {
        return (address.manifest == manifest && address.piece.start <= offset).then_some(first);
    }
    let text = address.piece.of(&survey.manifests[manifest].text);
    let tree = Tree::parse(text).ok()?;
    let inside = |span: Span| (span.start..span.end).contains(&(offset - address.piece.start));
    let found = object::objects(&tree, text).into_iter().find(|(_, node)| inside(tree.span(*node)));
    let own = survey.in_piece(manifest, address.piece);
    let address = Address { item: found?.0, ..address };
    own.iter().position(|object| object.address == Some(address)).map(|index| first + index)
}

/// The part of a span that is on its first line.
fn first_line(span: Span, text: &str) -> Span {
    let line = span.of(text).lines().next().unwrap_or("").trim_end();
    Span::new(span.start, span.start + line.len())
}
