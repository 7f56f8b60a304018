//! `argocd-jobs preview`

use anyhow::{Result, anyhow};
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::output::preview::{against, baseline, json, markdown};
use argocd_jobs::preview::Comparison;
use argocd_jobs::source::HELM_TEMPLATE;
use argocd_jobs::text::Message;
use argocd_jobs::version::{Analysis, Version};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::choice::{When, choice, value};
use super::environment::Environment;
use super::paths::RelativeTo;
use super::progress::Progress;
use super::status::{Status, print, problems_error};
use super::{args, versions};

choice! {
    /// How a preview is printed.
    Format { Text = "text", Json = "json", Markdown = "markdown" }
}

/// Its arguments.
pub(super) fn command() -> Command {
    let diff = Arg::new("diff")
        .long("diff")
        .value_name("WHEN")
        .help("Show what the rewrite changes; `auto` does it when that is short")
        .default_value("auto")
        .value_parser(value_parser!(When));
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How it is printed; markdown is for a comment on a pull request")
        .default_value("text")
        .value_parser(value_parser!(Format));
    let baseline = Arg::new("baseline")
        .long("baseline")
        .help("Print only the content hashes of all Jobs as they are, for `baseline` in the config file .argocd-jobs.yaml")
        .conflicts_with_all(["base", "format"])
        .action(ArgAction::SetTrue);
    let exit_code = Arg::new("exit-code")
        .long("exit-code")
        .help("With --base: end with status 1 when a Job is new, gone, changed, or runs again")
        .requires("base")
        .action(ArgAction::SetTrue);
    Command::new("preview")
        .about("Show what a sync will run: which Jobs, when and why, in which order, and what is changed in them")
        .after_help("Exit status: 0 done, 1 with --exit-code when something changes, 2 could not do it.")
        .arg(args::source())
        .args([
            format,
            baseline,
            args::base("Compare with another version: a directory, or a git revision of this one (`rev:NAME` is always a revision, `./NAME` a directory)"),
            exit_code,
            diff,
            args::color(),
        ])
        .args(args::settings_flags())
}

/// Prints what a sync will run, of one version or against another one.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let progress = Progress::begin("reading manifests");
    let version = versions::read(matches, environment, RelativeTo::WorkingDirectory)?;
    progress.next("reading the other version");
    let base = versions::read_base(matches, environment)?;
    progress.next("planning");
    let mut status = Status::Done;
    let text = if matches.get_flag("baseline") {
        check_release_name(&version)?;
        let analysis = version.survey();
        check_problems(&analysis)?;
        baseline::print(&analysis.survey, &analysis.report())
    } else if let Some((named, base)) = base {
        let comparison = version.compare(&base).map_err(|problems| problems_error(&problems))?;
        if matches.get_flag("exit-code") && comparison.jobs.iter().any(|job| job.verdict.is_a_change()) {
            status = Status::Found;
        }
        against(&comparison, &named, matches, environment)
    } else {
        alone(&version, matches, environment)?
    };
    drop(progress);
    print(&text)?;
    Ok(status)
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
fn alone(version: &Version, matches: &ArgMatches, environment: &Environment) -> Result<String> {
    let analysis = version.analyze();
    check_problems(&analysis)?;
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

fn against(comparison: &Comparison, named: &str, matches: &ArgMatches, environment: &Environment) -> String {
    match value(matches, "format") {
        Format::Json => json::print_against(comparison, named),
        Format::Markdown => markdown::print_against(comparison, named),
        Format::Text => against::print(comparison, named, environment.paint(value(matches, "color"))),
    }
}
