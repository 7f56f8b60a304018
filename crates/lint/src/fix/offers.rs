//! Sets the possible fix of each finding.

use std::path::Path;

use goyaml::{Document, Tree};
use rewrite::manifest::Manifest;
use text::{Edits, Origin, Span};

use super::document::{self, Wanted};
use super::{Obstacle, Offer};
use crate::Finding;
use crate::survey::Survey;

/// The maximum number of bytes that are read to find the fixes of one document one by one. Above it, all fixes of the document are tried at once, so
/// that the work does not grow with the number of findings times the length of the document.
const ONE_BY_ONE: usize = 1 << 22;

/// Sets [`Finding::fix`] of the open findings that can be fixed. Reads their documents again. A file for which `is_kept` is true must not be written.
pub fn offer(findings: &mut [Finding], survey: &Survey<'_>, is_kept: &dyn Fn(&Path) -> bool) {
    let mut tree = Tree::default();
    for ((manifest, piece), of_piece) in document::pieces(findings, survey) {
        let whole = &survey.manifests[manifest];
        let Some(document) = document::read(&mut tree, whole, piece) else { continue };
        let wanted = document::wanted(document, findings, &of_piece, survey);
        let obstacle = obstacle(whole, is_kept);
        let edits = if obstacle.is_some() { Vec::new() } else { edits(document, &wanted) };
        let mut edits = edits.into_iter();
        for one in wanted {
            let found = edits.next().unwrap_or(Some(Edits::default()));
            let obstacle = obstacle.or(if found.is_none() { Some(Obstacle::Shared) } else { None });
            let finding = &mut findings[one.finding];
            let is_secret = finding.object.is_some_and(|object| survey.objects[object].is_secret());
            let edits = found.filter(|_| !is_secret).unwrap_or_default();
            let edits = shown(&edits, (manifest, piece), survey);
            let (safety, what) = (one.proposal.safety, one.proposal.what.clone());
            finding.fix = Some(Box::new(Offer { safety, what, edits, obstacle }));
        }
    }
}

/// Why a manifest cannot be written. None if it can.
fn obstacle(manifest: &Manifest, is_kept: &dyn Fn(&Path) -> bool) -> Option<Obstacle> {
    match (&manifest.origin, &manifest.file) {
        (Origin::Rendered(_), _) => Some(Obstacle::Rendered),
        (_, None) => Some(Obstacle::NoFile),
        (_, Some(file)) => is_kept(file).then_some(Obstacle::File),
    }
}

/// The edits of each fix. None for a fix that cannot be made in place.
fn edits(document: Document<'_>, wanted: &[Wanted]) -> Vec<Option<Edits>> {
    if document.text().len().saturating_mul(wanted.len()) <= ONE_BY_ONE {
        return wanted.iter().map(|one| document::edits(document, &[one])).collect();
    }
    let all: Vec<&Wanted> = wanted.iter().collect();
    let is_possible = document::edits(document, &document::together(&all)).is_some();
    wanted.iter().map(|_| is_possible.then(Edits::default)).collect()
}

/// The edits with spans in the manifest instead of the document. Empty if one of them is in a Secret.
fn shown(edits: &Edits, (manifest, piece): (usize, Span), survey: &Survey<'_>) -> Edits {
    let mut moved = Edits::default();
    for edit in edits.iter() {
        let span = Span::new(piece.start + edit.span.start, piece.start + edit.span.end);
        let is_added = moved.add(span, edit.replacement.clone()).is_ok();
        if !is_added || survey.holds_secret(manifest, span) {
            return Edits::default();
        }
    }
    moved
}
