//! Plans a version of an Application's manifests and checks it.

use super::find::{Findings, find};
use super::notes::Notes;
use super::suppression;
use super::suppression::comment::{Comment, PlacedComment};
use crate::plan::{Problem, Request, Visited};
use crate::survey::{Compared, Survey};

/// Plans as much of the output as can be, and looks for findings. Each document is read once, and each rewritten document once more.
/// `compared` says whether the survey is to be compared with another one. Returns also why `generate` would print nothing, which is
/// empty when it would print the plan.
pub fn analyze<'a>(request: &Request<'a>, compared: Compared) -> (Survey<'a>, Vec<Problem>, Findings) {
    let (survey, problems, notes) = Survey::of(request, compared, &Notes::of);
    let mut findings = find(&survey, request.output, &problems, &notes);
    let comments = notes.iter().flat_map(|Visited { manifest, piece, kept }| {
        let place = |comment: &Comment| PlacedComment { manifest: *manifest, piece: *piece, comment: *comment };
        kept.comments.iter().map(place)
    });
    suppression::apply(&mut findings, &survey, request.settings, comments);
    (survey, problems, findings)
}
