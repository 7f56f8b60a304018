//! Plans a version of an Application's manifests and checks it.

use super::find::{Findings, find};
use super::notes::Notes;
use super::suppression;
use super::suppression::comment::{Comment, PlacedComment};
use crate::plan::{Problem, Request, Visited};
use crate::survey::{Compared, Survey};

/// One version of an Application's manifests, planned and checked.
#[derive(Debug)]
pub struct Analysis<'a> {
    /// The plan and the objects.
    pub survey: Survey<'a>,
    /// Why `generate` would print nothing; empty when it would print the plan.
    pub problems: Vec<Problem>,
    /// The findings, each with its state: open, solved or ignored.
    pub findings: Findings,
}

/// Plans as much of the output as can be, and looks for findings. Each document is read once, and each rewritten document once more.
pub fn analyze<'a>(request: &Request<'a>) -> Analysis<'a> {
    let (survey, problems, notes) = Survey::of(request, Compared::No, &Notes::of);
    let mut findings = find(&survey, request.output, &problems, &notes);
    let comments = notes.iter().flat_map(|Visited { manifest, piece, kept }| {
        let place = |comment: &Comment| PlacedComment { manifest: *manifest, piece: *piece, comment: *comment };
        kept.comments.iter().map(place)
    });
    suppression::apply(&mut findings, &survey, request.settings, comments);
    Analysis { survey, problems, findings }
}
