//! `argocd-jobs preview`

use std::io::{self, Write};

use anyhow::{Context, Result};
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::output::preview::{against, baseline, json, markdown};
use argocd_jobs::preview::Comparison;
use argocd_jobs::version::Analysis;
use clap::ArgMatches;

use super::paths::RelativeTo;
use super::progress::Progress;
use super::{Ended, Environment, described, described_setting, version};

/// `argocd-jobs preview`
pub(crate) fn preview(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let progress = Progress::begin("reading manifests");
    let version = version::read(matches, environment, RelativeTo::WorkingDirectory)?;
    progress.next("reading the other version");
    let base = version::read_base(matches, environment)?;
    progress.next("planning");
    let mut ended = Ended::Done;
    let text = if matches.get_flag("baseline") {
        let analysis = version.survey();
        check_problems(&analysis)?;
        baseline::print(&analysis.survey, &analysis.report())
    } else if let Some((named, base)) = base {
        let comparison = version.compare(&base).map_err(|problems| described(&problems))?;
        if matches.get_flag("exit-code") && comparison.jobs.iter().any(|job| job.verdict.is_a_change()) {
            ended = Ended::Found;
        }
        against(&comparison, &named, matches, environment)
    } else {
        let analysis = version.analyze();
        check_problems(&analysis)?;
        alone(&analysis, matches, environment)?
    };
    drop(progress);
    print(&text)?;
    Ok(ended)
}

fn check_problems(analysis: &Analysis<'_>) -> Result<()> {
    if analysis.problems.is_empty() { Ok(()) } else { Err(described(&analysis.problems)) }
}

fn print(text: &str) -> Result<Ended> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot write to standard output")?;
    Ok(Ended::Done)
}

/// What is printed without `--base`.
fn alone(analysis: &Analysis<'_>, matches: &ArgMatches, environment: &Environment) -> Result<String> {
    let survey = &analysis.survey;
    let findings = analysis.findings().map_err(described_setting)?;
    let report = analysis.report();
    let changes = changes(survey);
    match format(matches) {
        "json" => return Ok(json::print(survey, &report, findings, &changes)),
        "markdown" => return Ok(markdown::print(&report, findings, &changes)),
        _ => {}
    }
    let diff = match matches.get_one::<String>("diff").map(String::as_str) {
        Some("always") => ShowDiff::Always,
        Some("never") => ShowDiff::Never,
        _ => ShowDiff::Short,
    };
    let paint = environment.paint(matches);
    Ok(View { survey, report: &report, findings, changes: &changes, diff, paint }.print())
}

fn against(comparison: &Comparison, named: &str, matches: &ArgMatches, environment: &Environment) -> String {
    match format(matches) {
        "json" => json::print_against(comparison, named),
        "markdown" => markdown::print_against(comparison, named),
        _ => against::print(comparison, named, environment.paint(matches)),
    }
}

fn format(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("format").map_or("text", String::as_str)
}
