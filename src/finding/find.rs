//! Asks every row of the table about both sides.

use std::collections::{BTreeMap, BTreeSet};

use super::notes::Notes;
use super::{FINDINGS, Finding, Judge, Look, Remark, Row, State, place};
use crate::plan::{Problem, Visited};
use crate::settings::Output;
use crate::survey::{Side, Survey, may_hold_secret};
use crate::text::{Origin, Span};

/// What was found, sorted by place and id.
pub type Findings = Vec<Finding>;

/// All findings of an output and of the manifests that it is made of, without those about suppressions. `problems` are those of the
/// plan, and `notes` what was kept of each document.
pub(super) fn find(survey: &Survey<'_>, output: &Output, problems: &[Problem], notes: &[Visited<Notes>]) -> Findings {
    let mut findings = of_problems(problems, survey);
    let refused: BTreeSet<_> = findings.iter().map(|finding| (finding.row.id, finding.place.clone())).collect();
    for row in &FINDINGS {
        if let Judge::Objects(judge) | Judge::ObjectsOrProblem(judge, _) = row.judge {
            let look = |side| judge(&Look { survey, side, output });
            let found = compare(row, look(Side::Written), look(Side::Emitted), survey);
            findings.extend(found.into_iter().filter(|finding| !refused.contains(&(row.id, finding.place.clone()))));
        }
    }
    findings.extend(of_notes(survey, notes));
    for finding in findings.iter_mut().filter(|finding| finding.object.is_none()) {
        finding.object = finding.span.and_then(|(manifest, span)| survey.object_at(manifest, span.start));
    }
    sort(&mut findings);
    findings
}

/// Puts findings in the order of their places, each once.
pub(super) fn sort(findings: &mut Findings) {
    findings.sort_by(|a, b| (&a.place, a.row.id, &a.message).cmp(&(&b.place, b.row.id, &b.message)));
    findings.dedup_by(|a, b| (&a.place, a.row.id, &a.message) == (&b.place, b.row.id, &b.message));
}

/// What is said of both sides stands, as does what is said only of what comes out; what is said only of what is written is solved.
fn compare(row: &'static Row, written: Vec<Remark>, emitted: Vec<Remark>, survey: &Survey<'_>) -> Findings {
    let key = |remark: &Remark| (remark.object, remark.path.clone());
    let of_written: BTreeSet<_> = written.iter().map(key).collect();
    let of_emitted: BTreeSet<_> = emitted.iter().map(key).collect();
    let stands = |remark: &Remark| of_emitted.contains(&key(remark));
    let state = |remark: &Remark| if stands(remark) { State::Open } else { State::Solved(solver(remark, survey)) };
    let new = emitted.iter().filter(|remark| !of_written.contains(&key(remark)));
    let written = written.iter().map(|remark| place::of_remark(row, remark, survey, state(remark)));
    written.chain(new.map(|remark| place::of_remark(row, remark, survey, State::Open))).collect()
}

fn solver(remark: &Remark, survey: &Survey<'_>) -> String {
    match (remark.solver, survey.job(remark.object)) {
        (Some(solver), _) => solver.to_owned(),
        (None, Some(job)) => format!("strategy `{}`", job.outcome.decision.strategy),
        (None, None) => "`generate`".to_owned(),
    }
}

fn of_problems(problems: &[Problem], survey: &Survey<'_>) -> Findings {
    if problems.is_empty() {
        return Vec::new();
    }
    let manifests = survey.manifests.iter().enumerate().map(|(index, manifest)| (&manifest.origin, index));
    let manifests: BTreeMap<&Origin, usize> = manifests.rev().collect();
    // What could not be read may hold a Secret of which nobody knows where it begins and ends.
    let may_show: Vec<bool> = survey.manifests.iter().map(|manifest| !may_hold_secret(&manifest.text)).collect();
    let found = problems.iter().filter_map(|problem| {
        let manifest = problem.place.as_ref().and_then(|place| manifests.get(&place.origin).copied());
        of_problem(problem, manifest, manifest.is_some_and(|manifest| may_show[manifest]), survey)
    });
    found.collect()
}

fn of_problem(problem: &Problem, manifest: Option<usize>, shows_source: bool, survey: &Survey<'_>) -> Option<Finding> {
    let is_of = |row: &&Row| match row.judge {
        Judge::Problem(kinds) | Judge::ObjectsOrProblem(_, kinds) => kinds.contains(&problem.kind),
        _ => false,
    };
    let row = FINDINGS.iter().find(is_of)?;
    let span = problem.place.as_ref().zip(manifest).map(|(place, manifest)| {
        let offset = survey.offset(manifest, place.at);
        (manifest, Span::new(offset, offset))
    });
    Some(Finding {
        row,
        place: problem.place.clone(),
        span,
        shows_source,
        object: None,
        message: problem.message.clone(),
        help: problem.help.clone().unwrap_or_default(),
        related: Vec::new(),
        state: State::Open,
    })
}

/// The findings in the text of documents.
fn of_notes(survey: &Survey<'_>, notes: &[Visited<Notes>]) -> Findings {
    let mut all = Vec::new();
    for Visited { manifest, piece, kept } in notes.iter().filter(|notes| !notes.kept.spots.is_empty()) {
        let may_show = place::may_show_piece(*manifest, *piece, survey);
        all.extend(kept.spots.iter().map(|(row, spot)| {
            let finding = place::of_spot(row, spot.clone(), *manifest, *piece, survey);
            Finding { shows_source: finding.shows_source && may_show, ..finding }
        }));
    }
    all
}
