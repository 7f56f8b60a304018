//! `argocd-jobs preview` of one source.

use anyhow::{Result, anyhow};
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::output::preview::{against, baseline, json, markdown};
use argocd_jobs::preview::Comparison;
use argocd_jobs::source::HELM_TEMPLATE;
use argocd_jobs::text::Message;
use argocd_jobs::version::{Analysis, Version};
use clap::ArgMatches;

use crate::cli::choice::{When, choice, value};
use crate::cli::environment::Environment;
use crate::cli::paths::RelativeTo;
use crate::cli::progress::Progress;
use crate::cli::status::{Status, print, problems_error};
use crate::cli::target::Target;
use crate::cli::versions;

choice! {
    /// How a preview is printed.
    pub(super) Format { Text = "text", Json = "json", Markdown = "markdown" }
}

/// Prints what a sync of one source will run, alone or against another version.
pub(super) fn run(target: &Target, matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let progress = Progress::begin("reading manifests");
    let version = versions::read(target, matches, environment, RelativeTo::WorkingDirectory)?;
    progress.next("reading the other version");
    let base = versions::read_base(target, matches, environment)?;
    progress.next("planning");
    let mut status = Status::Done;
    let text = if matches.get_flag("baseline") {
        check_release_name(&version)?;
        let analysis = version.survey();
        check_problems(&analysis)?;
        baseline::print(&analysis.survey, &analysis.report())
    } else if let Some((named, base)) = base {
        let comparison = version.compare(&base).map_err(|problems| problems_error(&problems))?;
        if matches.get_flag("exit-code") && is_changed(&comparison) {
            status = Status::Found;
        }
        against(&comparison, &named, matches, environment)
    } else {
        alone(&version.analyze(), matches, environment)?
    };
    drop(progress);
    print(&text)?;
    Ok(status)
}

/// Whether `--exit-code` tells about it.
pub(super) fn is_changed(comparison: &Comparison) -> bool {
    comparison.jobs.iter().any(|job| job.verdict.is_a_change())
}

/// An error for a chart whose release has no name: Jobs are called by it, so that their hashes would be those of other Jobs.
fn check_release_name(version: &Version) -> Result<()> {
    let is_chart = version.manifests.iter().any(|manifest| manifest.origin == HELM_TEMPLATE);
    if !is_chart || version.application.name.is_some() || version.settings.helm.release_name.is_some() {
        return Ok(());
    }
    let message = Message::new("a baseline of a chart needs the name of its Application");
    Err(anyhow!(message.help("set `ARGOCD_APP_NAME` and `ARGOCD_APP_NAMESPACE`, as Argo CD does for a plugin")))
}

fn check_problems(analysis: &Analysis<'_>) -> Result<()> {
    if analysis.problems.is_empty() { Ok(()) } else { Err(problems_error(&analysis.problems)) }
}

/// What is printed without `--base`.
pub(super) fn alone(analysis: &Analysis<'_>, matches: &ArgMatches, environment: &Environment) -> Result<String> {
    check_problems(analysis)?;
    let findings = analysis.findings()?;
    let survey = &analysis.survey;
    let (report, changes) = (analysis.report(), changes(survey));
    Ok(match value(matches, "format") {
        Format::Json => json::print(survey, &report, findings, &changes),
        Format::Markdown => markdown::print(&report, findings, &changes),
        Format::Text => {
            let diff = match value(matches, "diff") {
                When::Auto => ShowDiff::Short,
                When::Always => ShowDiff::Always,
                When::Never => ShowDiff::Never,
            };
            let paint = environment.paint(value(matches, "color"));
            View { survey, report: &report, findings, changes: &changes, diff, paint }.print()
        }
    })
}

/// What is printed with `--base`.
pub(super) fn against(comparison: &Comparison, named: &str, matches: &ArgMatches, environment: &Environment) -> String {
    match value(matches, "format") {
        Format::Json => json::print_against(comparison, named),
        Format::Markdown => markdown::print_against(comparison, named),
        Format::Text => against::print(comparison, named, environment.paint(value(matches, "color"))),
    }
}
