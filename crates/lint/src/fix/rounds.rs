//! Makes all fixes that are possible at once.

use goyaml::{Document, Tree};
use rewrite::manifest::Manifest;
use text::{Edits, Place, Span};

use super::Safety;
use super::document::{self, Wanted};
use crate::survey::Survey;
use crate::{Finding, Rule};

/// A finding that was fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The id of the finding.
    pub rule: &'static str,
    /// Whether the fix was safe.
    pub safety: Safety,
    /// The index of the manifest.
    pub manifest: usize,
    /// The place of the finding, before the fix.
    pub place: Option<Place>,
    /// The message of the finding.
    pub message: String,
    /// The fix in words, for a help line.
    pub what: String,
}

/// The result of one round of fixes.
#[derive(Debug, Default)]
pub struct Round {
    /// The changed manifests, by index, with their new texts.
    pub texts: Vec<(usize, String)>,
    /// The findings that were fixed.
    pub fixed: Vec<Fixed>,
}

/// Fixes findings in the manifests that may be changed, with fixes that are at least as safe as `least`. If several fixes change one value, makes
/// only the first, because the others may have another effect after it.
pub fn round(
    findings: &[Finding],
    survey: &Survey<'_>,
    least: Safety,
    may_change: &dyn Fn(&Manifest) -> bool,
) -> Round {
    let mut tree = Tree::default();
    let mut round = Round::default();
    let mut edits = Edits::default();
    let mut pieces = document::pieces(findings, survey).into_iter().peekable();
    while let Some(((manifest, piece), of_piece)) = pieces.next() {
        let whole = &survey.manifests[manifest];
        let document = document::read(&mut tree, whole, piece);
        let (done, fixed) =
            document.map(|document| of_document(document, findings, &of_piece, (survey, least))).unwrap_or_default();
        if !fixed.is_empty() && may_change(whole) {
            let moved = done.iter().all(|edit| {
                let span = Span::new(piece.start + edit.span.start, piece.start + edit.span.end);
                edits.add(span, edit.replacement.clone()).is_ok()
            });
            debug_assert!(moved, "pieces do not overlap");
            round.fixed.extend(fixed);
        }
        if pieces.peek().is_none_or(|((next, _), _)| *next != manifest) && !edits.is_empty() {
            round.texts.push((manifest, edits.apply(&whole.text)));
            edits = Edits::default();
        }
    }
    round
}

/// The edits of one document, and the findings that they fix.
fn of_document(
    document: Document<'_>,
    findings: &[Finding],
    of_piece: &[usize],
    (survey, least): (&Survey<'_>, Safety),
) -> (Edits, Vec<Fixed>) {
    let wanted = document::wanted(document, findings, of_piece, survey);
    let wanted: Vec<&Wanted> = wanted.iter().filter(|one| one.proposal.safety <= least).collect();
    let together = document::together(&wanted);
    let at_once = document::edits(document, &together).map(|edits| (edits, together));
    let Some((edits, done)) = at_once.or_else(|| possible(document, &wanted)) else { return Default::default() };
    let fixed = done.into_iter().filter_map(|one| fixed(&findings[one.finding], one)).collect();
    (edits, fixed)
}

/// The maximum number of fixes of one document that are tried one by one.
const TRIED: usize = 64;

/// The fixes that can be made in place, for a document in which some cannot.
fn possible<'w>(document: Document<'_>, wanted: &[&'w Wanted]) -> Option<(Edits, Vec<&'w Wanted>)> {
    let can_be_done = |one: &&&'w Wanted| document::edits(document, &[**one]).is_some();
    let possible: Vec<&'w Wanted> = wanted.iter().take(TRIED).filter(can_be_done).copied().collect();
    let together = document::together(&possible);
    let first = together.first().copied()?;
    let at_once = document::edits(document, &together).map(|edits| (edits, together));
    at_once.or_else(|| Some((document::edits(document, &[first])?, vec![first])))
}

fn fixed(finding: &Finding, wanted: &Wanted) -> Option<Fixed> {
    let Finding { rule: Rule { id, .. }, place, message, span, .. } = finding;
    let (safety, what) = (wanted.proposal.safety, wanted.proposal.what.clone());
    let (place, message, (manifest, _)) = (place.clone(), message.clone(), (*span)?);
    Some(Fixed { rule: id, safety, manifest, place, message, what })
}
