//! Plans a version of an Application's manifests and checks it.

use super::find::{Findings, diagnose, find, of_problems};
use super::most::Counted;
use super::suppression;
use super::suppression::comment::{Comment, PlacedComment};
use crate::plan::{Problem, Reading, Request, Visited};
use crate::survey::{Compared, Survey};

/// Plans as much of the output as can be, and looks for findings. Each document is read once, and each rewritten document once more.
/// `compared` says whether the survey is to be compared with another one. Returns also why `generate` would print nothing, which is
/// empty when it would print the plan.
pub fn analyze<'a>(request: &Request<'a>, compared: Compared) -> (Survey<'a>, Vec<Problem>, Findings) {
    let counted = Counted::of(request);
    let (survey, mut problems, notes) = Survey::of(request, compared, &|reading: &Reading<'_>| counted.notes(reading));
    let diagnosed = diagnose(&survey, request.output, counted.of_rule());
    if let Some(excess) = counted.excess(diagnosed.len()) {
        problems.push(excess);
        let findings = of_problems(&problems, &survey);
        return (survey, problems, findings);
    }
    let mut findings = find(&survey, diagnosed, &problems, &notes);
    let comments = notes.iter().flat_map(|Visited { manifest, piece, kept }| {
        let place = |comment: &Comment| PlacedComment { manifest: *manifest, piece: *piece, comment: *comment };
        kept.comments.iter().map(place)
    });
    suppression::apply(&mut findings, &survey, request.settings, comments);
    (survey, problems, findings)
}
