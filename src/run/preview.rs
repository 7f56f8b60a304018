//! `argocd-jobs preview`

use std::io::{self, Write};

use anyhow::{Context, Result};
use argocd_jobs::finding::{self, Analysis, Finding};
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::output::preview::{against, baseline, json, markdown};
use argocd_jobs::preview::{Comparison, Version, compare};
use argocd_jobs::settings::Trigger;
use argocd_jobs::survey::{Compared, Survey};
use argocd_jobs::{plan, preview};
use clap::ArgMatches;

use super::paths::{From, put_before};
use super::progress::Progress;
use super::{Ended, Environment, Loaded, dir, told};

/// `argocd-jobs preview`
pub(crate) fn preview(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let progress = Progress::begin("reading manifests");
    let mut loaded = Loaded::read(matches, environment)?;
    progress.next("reading the other version");
    let base = Loaded::read_base(matches, environment)?;
    if let Some(dir) = dir(matches) {
        put_before(&environment.prefix(&dir, From::WorkingDirectory), &mut loaded.manifests);
    }
    progress.next("planning");
    let is_baseline = matches.get_flag("baseline");
    let Analysis { survey, problems, findings } =
        if is_baseline || base.is_some() { without_findings(&loaded) } else { finding::analyze(&loaded.request()) };
    if !problems.is_empty() {
        return Err(told(&problems));
    }
    progress.next("looking at every object");
    if is_baseline {
        let report = preview::report(&survey, &loaded.settings.output, &[]);
        drop(progress);
        return print(&baseline::print(&survey, &report));
    }
    let mut ended = Ended::Done;
    let text = match base {
        Some((named, base)) => {
            let comparison = comparison(&base, &loaded, &survey);
            if matches.get_flag("exit-code") && comparison.jobs.iter().any(|job| job.verdict.is_a_change()) {
                ended = Ended::Found;
            }
            against(&comparison, &named, matches, environment)
        }
        None => {
            loaded.check_ids()?;
            alone(&survey, &findings, &loaded, matches, environment)
        }
    };
    drop(progress);
    print(&text)?;
    Ok(ended)
}

fn print(text: &str) -> Result<Ended> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot write to standard output")?;
    Ok(Ended::Done)
}

/// What is printed without `--base`.
fn alone(
    survey: &Survey<'_>,
    findings: &[Finding],
    loaded: &Loaded,
    matches: &ArgMatches,
    environment: &Environment,
) -> String {
    let report = preview::report(survey, &loaded.settings.output, findings);
    let changes = changes(survey);
    match format(matches) {
        "json" => return json::print(survey, &report, findings, &changes),
        "markdown" => return markdown::print(&report, findings, &changes),
        _ => {}
    }
    let diff = match matches.get_one::<String>("diff").map(String::as_str) {
        Some("always") => ShowDiff::Always,
        Some("never") => ShowDiff::Never,
        _ => ShowDiff::Short,
    };
    let paint = environment.paint(matches);
    View { survey, report: &report, findings, changes: &changes, diff, paint }.print()
}

/// The survey of a version of which nobody wants the findings.
fn without_findings(loaded: &Loaded) -> Analysis<'_> {
    let (survey, problems, _) = Survey::of(&loaded.request(), Compared::Yes, &|_: &plan::Reading<'_>| ());
    Analysis { survey, problems, findings: Vec::new() }
}

/// The other version may be broken: what can be read of it is compared.
fn comparison(base: &Loaded, loaded: &Loaded, survey: &Survey<'_>) -> Comparison {
    let old_survey = without_findings(base).survey;
    let old_report = preview::report(&old_survey, &base.settings.output, &[]);
    let report = preview::report(survey, &loaded.settings.output, &[]);
    let has_trigger = |loaded: &Loaded| loaded.settings.output.trigger == Trigger::Yes;
    compare(
        Version { survey: &old_survey, report: &old_report, has_trigger: has_trigger(base) },
        Version { survey, report: &report, has_trigger: has_trigger(loaded) },
    )
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
