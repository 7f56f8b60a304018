//! `argocd-jobs preview` of several sources: one after the other, then a table of all.

use anyhow::Result;
use argocd_jobs::output::check::Count;
use argocd_jobs::output::preview::answer::Answer;
use argocd_jobs::output::preview::several::{self as print, Section};
use argocd_jobs::output::sources::{Outcome, Row};
use argocd_jobs::plan::Together;
use argocd_jobs::survey::Compared;
use argocd_jobs::threads::{self, MAX_THREADS};
use argocd_jobs::version::Version;

use super::arguments::{Arguments, Format};
use super::one;
use crate::cli::inputs::Several;
use crate::cli::paths::RelativeTo;
use crate::cli::progress::Progress;
use crate::cli::read::Read;
use crate::cli::several;
use crate::cli::status::{self, Status};
use crate::cli::versions;

/// Prints what the syncs of several sources will run.
pub(super) fn run(several: &Several, typed: &Arguments) -> Result<Status> {
    let progress = Progress::begin("reading the sources");
    let (read, passed_over) = several::read(several, &typed.run, RelativeTo::WorkingDirectory, &progress)?;
    progress.next("planning");
    let both = [
        several::together(read.iter().map(|one| &*one.version)),
        several::together(read.iter().filter_map(|one| one.base.as_deref())),
    ];
    let work = |(): &mut (), index: usize| preview(&read[index], &both, typed);
    let previews = threads::in_order(read.len(), MAX_THREADS, || (), work);
    several::check_size(&both)?;
    let mut sections = Vec::new();
    let mut rows = Vec::new();
    let mut is_found = false;
    let is_told = typed.exit_code;
    for (source, preview) in read.iter().zip(previews) {
        // It is not known whether a Job is added, removed or changed.
        is_found |= is_told && (!source.unseen.is_empty() || source.error.is_some() && !source.is_untouched);
        let row = |outcome, is_new| source.row(outcome, is_new);
        match preview {
            Ok(preview) => {
                is_found |= preview.is_found;
                rows.push(row(Outcome::Read { jobs: preview.jobs, count: preview.count }, !preview.is_quiet));
                let Preview { text, is_quiet, answer, .. } = preview;
                sections.push(Section { row: rows.len() - 1, text, is_quiet, answer });
            }
            Err(error) => {
                let is_broken = is_broken(source);
                is_found |= is_broken;
                rows.push(Row { is_broken, ..row(Outcome::NotChecked(error.to_string()), !source.is_old) });
            }
        }
    }
    let format: Format = typed.format;
    let named = typed.run.base.as_deref().unwrap_or_default();
    let text = match format {
        Format::Json => print::json(&sections, &rows, &passed_over, named),
        Format::Markdown => print::markdown(&sections, &rows, &passed_over, named),
        Format::Text => print::text(&sections, &rows, &passed_over, named, typed.show()),
    };
    drop(progress);
    match format {
        Format::Json => status::print(&text)?,
        Format::Text | Format::Markdown => status::print_text(&text)?,
    }
    Ok(if is_found { Status::Found } else { Status::Done })
}

/// Whether Argo CD could sync what a source without a preview is compared with, if it has manifests.
fn is_broken(source: &Read) -> bool {
    let could_be_read = |base: &Version| !base.manifests.is_empty() && base.analyze_as_base().0.problems.is_empty();
    let is_refused = || source.error.is_none() && source.base.as_deref().is_some_and(could_be_read);
    source.is_broken() || !source.is_unnamed && is_refused()
}

/// The preview of one source.
struct Preview {
    text: String,
    jobs: usize,
    count: Count,
    /// Whether the exit status says so.
    is_found: bool,
    /// Whether there is nothing in it to read.
    is_quiet: bool,
    /// What runs at the next sync.
    answer: Answer,
}

/// Previews a source; `new` and `old` count what is kept of all sources, and of what they are compared with.
fn preview(source: &Read, [new, old]: &[Together; 2], typed: &Arguments) -> Result<Preview> {
    if let Some(error) = &source.error {
        return Err(anyhow::anyhow!(error.clone()));
    }
    let base = source.base.as_ref().map(|base| base.analyze_among(old, Compared::Yes).into_base());
    let compared = if base.is_some() { Compared::Yes } else { Compared::No };
    let mut analysis = source.version.analyze_among(new, compared);
    let (jobs, count) = (analysis.survey.plan.jobs.len(), Count::of(analysis.findings()?));
    if let Some((base, known)) = base {
        versions::check_size(&base)?;
        one::check_problems(&analysis.problems)?;
        let comparison = analysis.compare(&base, known)?;
        let is_found = one::is_found(&comparison, typed);
        let named = typed.run.base.as_deref().unwrap_or_default();
        let answer = Answer::of_comparison(&comparison);
        let text = one::against(&comparison, named, typed);
        return Ok(Preview { text, jobs, count, is_found, is_quiet: comparison.is_quiet(), answer });
    }
    let (text, answer) = one::alone(&analysis, typed)?;
    Ok(Preview { text, jobs, count, is_found: false, is_quiet: jobs == 0, answer })
}
