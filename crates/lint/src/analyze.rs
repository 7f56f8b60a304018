//! Plans the manifests of an Application's version, and looks for findings.

use rewrite::plan::{MAX_FINDINGS, Problem, Together, Visited};
use rewrite::version::Version;

use super::find::{diagnose, find, of_problems};
use super::suppression::comment::{Comment, PlacedComment};
use super::{Finding, suppression};
use crate::survey::{Compared, Survey};

/// Plans as much of the output as possible, and looks for findings. Each document is read once, and each rewritten document once more; those of
/// `earlier` are not read again. `compared` says whether the survey will be compared with another one. Also returns the problems for which `generate` would print nothing; empty if it would
/// print the plan. The findings are sorted by place and by the id of their rule.
pub fn analyze<'a>(
    version: &'a Version,
    shared: Option<&'a Together>,
    compared: Compared<'a>,
    earlier: Option<&Survey<'_>>,
) -> (Survey<'a>, Vec<Problem>, Vec<Finding>) {
    let alone = Together::default();
    let together = shared.unwrap_or(&alone);
    let (survey, mut problems) = Survey::of(version, shared, compared, Some(together), earlier);
    // One above the limit, so that an excess shows.
    let diagnosed = diagnose(&survey, &version.settings.output, MAX_FINDINGS + 1);
    if !together.may_keep_findings(diagnosed.len())
        && let Some(excess) = together.excess()
    {
        problems.push(excess);
        let findings = of_problems(&problems, &survey);
        return (survey, problems, findings);
    }
    let mut findings = find(&survey, diagnosed, &problems);
    let comments = survey.documents.iter().flat_map(|Visited { manifest, piece, kept, .. }| {
        let place = |comment: &Comment| PlacedComment { manifest: *manifest, piece: *piece, comment: *comment };
        kept.comments.iter().map(place)
    });
    suppression::apply(&mut findings, &survey, comments);
    findings.sort_by(|a, b| (&a.place, a.rule.id, &a.message).cmp(&(&b.place, b.rule.id, &b.message)));
    findings.dedup_by(|a, b| (&a.place, a.rule.id, &a.message) == (&b.place, b.rule.id, &b.message));
    (survey, problems, findings)
}
