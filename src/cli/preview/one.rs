//! `argocd-jobs preview` of one source.

use anyhow::Result;
use argocd_jobs::finding::Level;
use argocd_jobs::output::preview::answer::Answer;
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::output::preview::{against, json, markdown};
use argocd_jobs::plan::Problem;
use argocd_jobs::preview::{Comparison, NewOrOld};
use argocd_jobs::version::{Analysis, Version};

use super::arguments::{Arguments, Format};
use crate::cli::choice::When;
use crate::cli::paths::RelativeTo;
use crate::cli::progress::Progress;
use crate::cli::status::{Status, print, print_text, problems_error};
use crate::cli::target::Target;
use crate::cli::{unseen, versions};

/// Prints what a sync of one source will run, alone or against another version.
pub(super) fn run(target: &Target, typed: &Arguments) -> Result<Status> {
    let progress = Progress::begin("reading manifests");
    versions::check_base(target, &typed.run)?;
    let version = versions::read(target, &typed.run, RelativeTo::WorkingDirectory)?;
    progress.next("reading the other version");
    let base = versions::read_base(target, &typed.run)?;
    let compared = base.as_ref().map(|(_, base)| base);
    let unseen = unseen::reasons(target, &version, compared, &typed.run)?;
    progress.next("planning");
    let mut status = Status::Done;
    let text = if let Some((named, base)) = base {
        let comparison = compare(&version, &base)?;
        if is_found(&comparison, typed) {
            status = Status::Found;
        }
        against(&comparison, &named, typed)
    } else {
        alone(&version.analyze(), typed)?.0
    };
    drop(progress);
    if unseen::tell(&unseen) && typed.exit_code {
        status = Status::Found;
    }
    match typed.format {
        Format::Json => print(&text)?,
        Format::Text | Format::Markdown => print_text(&text)?,
    }
    Ok(status)
}

/// What becomes of the Jobs from one version to the other.
fn compare(version: &Version, base: &Version) -> Result<Comparison> {
    let (base, known) = base.analyze_as_base();
    versions::check_size(&base)?;
    let mut analysis = version.analyze_to_compare();
    check_problems(&analysis.problems)?;
    Ok(analysis.compare(&base, known)?)
}

/// Whether the exit status says so: an error that the other version does not have, a sync that fails, or with `--exit-code` any change.
pub(super) fn is_found(comparison: &Comparison, typed: &Arguments) -> bool {
    let fails = comparison.jobs.iter().any(|job| job.verdict.is_an_error() && !job.verdict.is_never());
    let is_new_error = |found: &NewOrOld| found.is_new && found.finding.level == Level::Error && !found.is_later();
    let is_changed = || comparison.jobs.iter().any(|job| job.verdict.is_a_change());
    fails
        || !comparison.refused.is_empty()
        || comparison.findings.iter().any(is_new_error)
        || typed.exit_code && is_changed()
}

/// The problems of an analysis, as an error.
pub(super) fn check_problems(problems: &[Problem]) -> Result<()> {
    if problems.is_empty() { Ok(()) } else { Err(problems_error(problems)) }
}

/// What is printed without `--base`, and what runs at the next sync.
pub(super) fn alone(analysis: &Analysis<'_>, typed: &Arguments) -> Result<(String, Answer)> {
    check_problems(&analysis.problems)?;
    let findings = analysis.findings()?;
    let survey = &analysis.survey;
    let (report, changes) = (analysis.report(), changes(survey));
    let text = match typed.format {
        Format::Json => json::print(survey, &report, findings, &changes),
        Format::Markdown => markdown::print(&report, findings, &changes),
        Format::Text => {
            let diff = match typed.diff {
                When::Auto => ShowDiff::Short,
                When::Always => ShowDiff::Always,
                When::Never => ShowDiff::Never,
            };
            View { survey, report: &report, findings, changes: &changes, diff, show: typed.show() }.print()
        }
    };
    Ok((text, Answer::of_report(&report)))
}

/// What is printed with `--base`.
pub(super) fn against(comparison: &Comparison, named: &str, typed: &Arguments) -> String {
    match typed.format {
        Format::Json => json::print_against(comparison, named),
        Format::Markdown => markdown::print_against(comparison, named),
        Format::Text => against::print(comparison, named, typed.show()),
    }
}
