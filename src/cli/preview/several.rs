//! `argocd-jobs preview` of several sources: one after the other, then a table of all.

use anyhow::Result;
use argocd_jobs::output::check::Count;
use argocd_jobs::output::preview::several::{self as print, Section};
use argocd_jobs::output::sources::Outcome;
use argocd_jobs::threads::{self, MAX_THREADS};
use clap::ArgMatches;

use super::one::{self, Format};
use crate::cli::choice::value;
use crate::cli::environment::Environment;
use crate::cli::inputs::Several;
use crate::cli::paths::RelativeTo;
use crate::cli::progress::Progress;
use crate::cli::several::{self, Read};
use crate::cli::status::{self, Status, problems_error};

/// Prints what the syncs of several sources will run.
pub(super) fn run(several: &Several, matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let progress = Progress::begin("reading the sources");
    let passed_over = several.passed_over();
    let read = several::read(several, matches, environment, RelativeTo::WorkingDirectory, &progress)?;
    progress.next("planning");
    let previews =
        threads::in_order(read.len(), MAX_THREADS, || (), |(), index| preview(&read[index], matches, environment));
    let mut sections = Vec::new();
    let mut rows = Vec::new();
    let mut is_changed = false;
    for (source, preview) in read.iter().zip(previews) {
        let row = |outcome| source.row(outcome);
        match preview {
            Ok(preview) => {
                is_changed |= preview.is_changed;
                rows.push(row(Outcome::Read { jobs: preview.jobs, count: preview.count }));
                sections.push(Section { row: rows.len() - 1, text: preview.text, is_quiet: preview.is_quiet });
            }
            Err(error) => rows.push(row(Outcome::NotChecked(error.to_string()))),
        }
    }
    let format: Format = value(matches, "format");
    let paint = environment.paint(value(matches, "color"));
    let text = match format {
        Format::Json => print::json(&sections, &rows),
        Format::Markdown => print::markdown(&sections, &rows, &passed_over),
        Format::Text => print::text(&sections, &rows, &passed_over, paint),
    };
    drop(progress);
    status::print(&text)?;
    Ok(if matches.get_flag("exit-code") && is_changed { Status::Found } else { Status::Done })
}

/// The preview of one source.
struct Preview {
    text: String,
    jobs: usize,
    count: Count,
    /// Whether `--exit-code` tells about it.
    is_changed: bool,
    /// Whether there is nothing in it to read.
    is_quiet: bool,
}

fn preview(source: &Read, matches: &ArgMatches, environment: &Environment) -> Result<Preview> {
    if let Some(error) = &source.error {
        return Err(anyhow::anyhow!(error.clone()));
    }
    let analysis = source.version.analyze();
    let (jobs, count) = (analysis.survey.plan.jobs.len(), Count::of(analysis.findings()?));
    if let Some(base) = &source.base {
        let comparison = source.version.compare(base).map_err(|problems| problems_error(&problems))?;
        let is_changed = one::is_changed(&comparison);
        let named = matches.get_one::<String>("base").map_or("", String::as_str);
        let text = one::against(&comparison, named, matches, environment);
        return Ok(Preview { text, jobs, count, is_changed, is_quiet: comparison.jobs.is_empty() });
    }
    let text = one::alone(&analysis, matches, environment)?;
    Ok(Preview { text, jobs, count, is_changed: false, is_quiet: jobs == 0 })
}
