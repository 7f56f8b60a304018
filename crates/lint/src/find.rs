//! Runs all rules on both sides.

use std::collections::{BTreeMap, BTreeSet};

use rewrite::plan::{Problem, Visited};
use rewrite::settings::Output;
use system::threads::{self, MAX_THREADS};
use text::{Origin, Span};

use super::rules::helm_is_upgrade;
use super::{Check, Context, Diagnostic, Finding, RULES, Rule, State, place};
use crate::survey::{Side, Survey, may_hold_secret};

/// All findings of an output and its manifests, except those about suppressions. `diagnosed` are the diagnostics of objects, and `problems` those of
/// the plan.
pub(super) fn find(survey: &Survey<'_>, diagnosed: Vec<Diagnosed>, problems: &[Problem]) -> Vec<Finding> {
    let of_problems = of_problems(problems, survey);
    let refused: BTreeSet<_> = of_problems.iter().map(|finding| (finding.rule.id, finding.place.clone())).collect();
    let mut findings = place_all(diagnosed, survey);
    findings.retain(|finding| refused.is_empty() || !refused.contains(&(finding.rule.id, finding.place.clone())));
    findings.extend(of_problems);
    findings.extend(of_notes(survey));
    findings.extend(helm_is_upgrade::never_printed(survey));
    for finding in findings.iter_mut().filter(|finding| finding.object.is_none()) {
        finding.object = finding.span.and_then(|(manifest, span)| survey.object_at(manifest, span.start));
    }
    findings
}

/// A diagnostic of a rule about an object, and whether the output still has the mistake.
pub(super) type Diagnosed = (&'static Rule, Diagnostic, State);

/// Runs the rules that check objects. The result is in the order of [`RULES`]. Each rule returns at most about `most` diagnostics.
pub(super) fn diagnose(survey: &Survey<'_>, output: &Output, most: usize) -> Vec<Diagnosed> {
    let of_rule = |(): &mut (), index: usize| {
        let rule = &RULES[index];
        let (Check::Objects(check) | Check::ObjectsOrProblem(check, _) | Check::Application(check)) = rule.check else {
            return Vec::new();
        };
        let context = |side| check(&Context { survey, side, output, most });
        let compared = compare(context(Side::Written), context(Side::Emitted), survey);
        compared.into_iter().map(|(diagnostic, state)| (rule, diagnostic, state)).collect()
    };
    threads::in_order(RULES.len(), MAX_THREADS, || (), of_rule).into_iter().flatten().collect()
}

/// Turns diagnostics into findings. Those of one document are placed one after another, so that each document is read once.
fn place_all(mut diagnosed: Vec<Diagnosed>, survey: &Survey<'_>) -> Vec<Finding> {
    const NEIGHBOURS: usize = 64;
    diagnosed.sort_by_key(|(_, diagnostic, _)| diagnostic.object);
    let chunks: Vec<&[Diagnosed]> = diagnosed.chunks(NEIGHBOURS).collect();
    let of_chunk = |(): &mut (), index: usize| -> Vec<Finding> {
        let finding = |(rule, diagnostic, state): &Diagnosed| {
            place::of_diagnostic(rule, diagnostic.clone(), survey, state.clone())
        };
        chunks[index].iter().map(finding).collect()
    };
    threads::in_order(chunks.len(), MAX_THREADS, || (), of_chunk).into_iter().flatten().collect()
}

/// Compares the diagnostics of both sides: a finding is open if the emitted objects still have it, and solved if only the written objects do.
fn compare(written: Vec<Diagnostic>, emitted: Vec<Diagnostic>, survey: &Survey<'_>) -> Vec<(Diagnostic, State)> {
    let key = |diagnostic: &Diagnostic| (diagnostic.object, diagnostic.path.clone());
    let of_written: BTreeSet<_> = written.iter().map(key).collect();
    let of_emitted: BTreeSet<_> = emitted.iter().map(key).collect();
    let new = emitted.into_iter().filter(|diagnostic| !of_written.contains(&key(diagnostic)));
    let written = written.into_iter().map(|diagnostic| {
        let remains = of_emitted.contains(&key(&diagnostic));
        let state = if remains { State::Open } else { State::Solved(solver(&diagnostic, survey)) };
        (diagnostic, state)
    });
    written.chain(new.map(|diagnostic| (diagnostic, State::Open))).collect()
}

fn solver(diagnostic: &Diagnostic, survey: &Survey<'_>) -> String {
    match (diagnostic.solver, survey.job(diagnostic.object)) {
        (Some(solver), _) => solver.to_owned(),
        (None, Some(job)) => format!("strategy `{}`", job.outcome.decision.strategy),
        (None, None) => "`generate`".to_owned(),
    }
}

/// The findings of the problems that make `generate` fail.
pub(super) fn of_problems(problems: &[Problem], survey: &Survey<'_>) -> Vec<Finding> {
    if problems.is_empty() {
        return Vec::new();
    }
    let manifests = survey.manifests.iter().enumerate().map(|(index, manifest)| (&manifest.origin, index));
    let manifests: BTreeMap<&Origin, usize> = manifests.rev().collect();
    // A text that could not be parsed may contain a Secret whose lines are unknown.
    let may_show: Vec<bool> = survey.manifests.iter().map(|manifest| !may_hold_secret(&manifest.text)).collect();
    let found = problems.iter().filter_map(|problem| {
        let manifest = problem.place.as_ref().and_then(|place| manifests.get(&place.origin).copied());
        of_problem(problem, manifest, manifest.is_some_and(|manifest| may_show[manifest]), survey)
    });
    found.collect()
}

fn of_problem(problem: &Problem, manifest: Option<usize>, shows_source: bool, survey: &Survey<'_>) -> Option<Finding> {
    let is_of = |rule: &&Rule| match rule.check {
        Check::Problem(kinds) | Check::ObjectsOrProblem(_, kinds) => kinds.contains(&problem.kind),
        _ => false,
    };
    let rule = RULES.iter().find(is_of)?;
    let span = problem.place.as_ref().zip(manifest).map(|(place, manifest)| {
        let offset = survey.manifests[manifest].offset(place.at);
        (manifest, Span::new(offset, offset))
    });
    let help = problem.help.as_deref().unwrap_or_default().to_owned();
    let finding = Finding::new(rule, problem.place.clone(), problem.message.clone(), help);
    Some(Finding { span, shows_source, ..finding })
}

/// The findings of rules that check the text of documents.
fn of_notes(survey: &Survey<'_>) -> Vec<Finding> {
    let mut all = Vec::new();
    let noted = survey.documents.iter().filter(|document| !document.kept.diagnostics.is_empty());
    for Visited { manifest, piece, kept, .. } in noted {
        let may_show = place::may_show_piece(*manifest, *piece, survey);
        all.extend(kept.diagnostics.iter().map(|(rule, diagnostic)| {
            let finding = place::of_text_diagnostic(rule, diagnostic.clone(), *manifest, *piece, survey);
            Finding { shows_source: finding.shows_source && may_show, ..finding }
        }));
    }
    all
}
