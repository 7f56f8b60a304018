//! `argocd-jobs preview` of sources: each alone or against its base, and of several a table.

use std::borrow::Cow;
use std::mem;

use anyhow::{Result, anyhow};
use deployment::applications::{ApplicationSource, RenderedBy};
use deployment::errors::Refused;
use deployment::reading::{self, Reading};
use deployment::row::{NotChecked, Outcome, PassedOver, Row};
use deployment::sources::Sources;
use deployment::{Read, Run, Standing, base, value_sets, versions};
use lint::count::Count;
use lint::survey::Compared;
use lint::{Analysis, Finding, Level, State, compared_with};
use preview::{Comparison, GoneApplication, NewOrOld, Verdict, compare};
use report::plugin_effect::PluginEffect;
use report::preview::changes::changes;
use report::preview::section::{Same, Section};
use report::preview::text::{ShowDiff, View};
use report::preview::{compared, json, markdown, several};
use report::sources::is_all_checked;
use rewrite::plan::{Problem, ProblemKind, Together};
use rewrite::settings::PluginUse;
use rewrite::version::Version;
use source::Input;
use system::threads::{self, MAX_THREADS};
use text::Message;

use super::arguments::{Arguments, Format};
use crate::cli::flags::When;
use crate::cli::progress::Progress;
use crate::cli::status::{self, Status};

/// Prints what the syncs of the sources will run, alone or against another version.
pub(super) fn run(sources: Sources, typed: &Arguments) -> Result<Status> {
    let progress = Progress::begin("reading the sources");
    let mut reading = reading::read(sources, &typed.run, &|what| progress.next(what))?;
    reading.join_sources();
    print(&reading, typed, progress)
}

/// Prints what the syncs of sources that were read will run.
pub(in crate::cli) fn print(reading: &Reading, typed: &Arguments, progress: Progress) -> Result<Status> {
    progress.next("planning");
    let Reading { read, passed_over, is_single } = reading;
    let previewer = Previewer::of(reading, typed);
    let work = |(): &mut (), index: usize| previewer.preview(&read[index]);
    let mut previews = threads::in_order(read.len(), MAX_THREADS, || (), work);
    previewer.limits.iter().try_for_each(reading::check_size)?;
    let effects = previews.iter().flatten().map(|preview| preview.effect);
    let effect = PluginEffect::sum(effects).line(typed.show());
    let (text, is_found, is_changed) = match (is_single, previews.pop()) {
        (true, Some(only)) => {
            let only = only?;
            let (is_found, is_changed) = (only.is_found, only.is_changed);
            match typed.format {
                Format::Json => {
                    let mut report = Report::default();
                    report.add(&read[0], Ok(only));
                    (report.text(passed_over, typed), is_found, is_changed)
                }
                Format::Text | Format::Markdown => (only.section.text, is_found, is_changed),
            }
        }
        (_, last) => {
            let mut report = Report::default();
            for (source, preview) in read.iter().zip(previews.into_iter().chain(last)) {
                report.add(source, preview);
            }
            let is_partial = typed.run.requires_coverage && !is_all_checked(&report.rows, passed_over);
            (
                report.text(passed_over, typed),
                report.is_found || is_partial || passed_over.has_unread(),
                report.is_changed,
            )
        }
    };
    drop(progress);
    reading.tell_unseen(&typed.run.environment.notes);
    match typed.format {
        Format::Json => status::print(&text)?,
        Format::Text | Format::Markdown => status::print_text(&(typed.heading() + &text + &effect))?,
    }
    // It is unknown whether a Job is added, removed or changed.
    let is_unknown = |one: &Read| match &one.new {
        Ok(_) => one.unread_base().is_some() || one.may_change_more(),
        Err(_) => one.changed != Some(false),
    };
    let is_changed = is_changed
        || read.iter().any(is_unknown)
        || !passed_over.removed.is_empty()
        || passed_over.skipped.iter().any(|skipped| skipped.changed == Some(true));
    Ok(match (is_found, is_changed && typed.exit_code) {
        (true, _) => Status::Found,
        (false, true) => Status::Changed,
        (false, false) => Status::Done,
    })
}

/// The previews of several sources.
#[derive(Default)]
struct Report {
    sections: Vec<Section>,
    rows: Vec<Row>,
    /// Whether a sync fails, or there is a new error.
    is_found: bool,
    /// Whether a Job, or what it uses, changes.
    is_changed: bool,
}

impl Report {
    fn add(&mut self, source: &Read, preview: Result<Preview>) {
        match preview {
            Ok(Preview { section, jobs, count, is_found, is_changed, gone, effect: _ }) => {
                self.is_found |= is_found;
                self.is_changed |= is_changed;
                let is_new = !section.is_quiet || source.unread_base().is_some();
                self.rows.push(Row { gone, ..source.row(Outcome::Read { jobs, count }, is_new) });
                self.sections.push(Section { row: self.rows.len() - 1, ..section });
            }
            Err(error) => {
                let (is_unread, failure) = (is_unread(source), source.failure());
                let is_broken =
                    is_broken(source) && !(is_unread && source.version().layers.plugin() != PluginUse::Used);
                self.is_found |= is_broken || is_unread;
                let changed = source.changed.or_else(|| Some(is_broken || has_other_manifests(source)?));
                let is_old = source.was_broken();
                let is_new = changed.unwrap_or(!is_old) || failure.is_some() && !is_old;
                let reason = match (failure, error.downcast_ref::<Refused>()) {
                    (Some(failure), _) => failure.into(),
                    (None, Some(refused)) => refused.reason(),
                    (None, None) => NotChecked::of(Message::of_error(&error.to_string())),
                };
                let row = source.row(Outcome::NotChecked(Box::new(reason)), is_new);
                self.rows.push(Row { is_broken, is_unread: is_unread && !is_broken, changed, ..row });
            }
        }
    }

    fn text(&self, passed_over: &PassedOver, typed: &Arguments) -> String {
        let (Self { sections, rows, .. }, named) = (self, typed.run.base_name());
        match typed.format {
            Format::Json => {
                json::document(sections, rows, passed_over, json::Against { base: named, upgrade: typed.upgrade })
            }
            Format::Markdown => several::markdown(sections, rows, passed_over, named),
            Format::Text => several::text(sections, rows, passed_over, typed.show()),
        }
    }
}

/// Whether a source that was read and is refused has other manifests in the base; `None` without a base, and if it was not read.
fn has_other_manifests(source: &Read) -> Option<bool> {
    let new = source.new.as_ref().ok()?;
    Some(!versions::have_same_manifests(new, source.base()?))
}

/// Whether a source without a preview has a text that is not read here, and that Argo CD may read.
fn is_unread(source: &Read) -> bool {
    let is_not_read = |problem: &Problem| problem.kind == ProblemKind::NotRead;
    match source.failure() {
        Some(failure) => failure.is_unread,
        None => Analysis::without_findings(source.version()).problems.iter().any(is_not_read),
    }
}

/// Whether the base of a source without a preview could be synced.
fn is_broken(source: &Read) -> bool {
    let could_be_read = |base: &Version| !base.manifests.is_empty() && Analysis::to_compare(base).problems.is_empty();
    let is_refused = || source.failure().is_none() && source.base().is_some_and(could_be_read);
    source.is_broken() || source.standing != Standing::Unnamed && is_refused()
}

/// The preview of one source.
struct Preview {
    section: Section,
    jobs: usize,
    count: Count,
    /// Whether a sync fails, or there is a new error.
    is_found: bool,
    /// Whether a Job, or what it uses, changes.
    is_changed: bool,
    /// What happens to its Application, if the change removes it.
    gone: Option<GoneApplication>,
    effect: PluginEffect,
}

/// Previews sources one by one.
struct Previewer<'p> {
    typed: &'p Arguments,
    is_single: bool,
    /// Whether an Application here uses the plugin, or the command line asks for it.
    has_plugin: bool,
    /// The limits that all sources share, and the limits that their bases share.
    limits: [Option<Together>; 2],
}

impl<'p> Previewer<'p> {
    fn of(reading: &Reading, typed: &'p Arguments) -> Self {
        let is_ours = |source: &ApplicationSource| source.by == RenderedBy::Plugin;
        let is_used = reading.read.iter().filter_map(|one| one.target.source()).any(is_ours);
        let has_plugin = is_used || typed.run.asks_for_the_plugin() == Some(true);
        Self { typed, is_single: reading.is_single, has_plugin, limits: [reading.together(), reading.together()] }
    }

    /// Whether the source is that of an Application without the plugin, and nothing says that anybody here uses the plugin.
    fn is_without_plugin(&self, source: &Read) -> bool {
        !self.has_plugin && source.target.source().is_some()
    }

    fn preview(&self, source: &Read) -> Result<Preview> {
        if let Some(failure) = source.failure() {
            return Err(anyhow!(failure.to_string()));
        }
        let [new, old] = &self.limits;
        let compared = compared_with(source.version());
        let base = source.base().map(|base| Analysis::among(base, old.as_ref(), compared).into_base());
        if let Some((base, _)) = &base {
            versions::check_size(base)?;
        }
        let compared = if base.is_some() { compared } else { Compared::No };
        let version = source.version();
        let mut analysis = match &base {
            Some((base, _)) => Analysis::after(base, version, new.as_ref(), compared),
            None => Analysis::among(version, new.as_ref(), compared),
        };
        check_problems(&analysis.problems)?;
        let jobs = analysis.survey.plan.jobs.len();
        let Some((base, known)) = base else {
            analysis.ask_the_plugin();
            let mut findings = Cow::Borrowed(analysis.findings()?);
            if source.standing != Standing::Applied || self.is_without_plugin(source) {
                findings.to_mut().iter_mut().for_each(|finding| self.settle(finding, source));
            }
            let [errors, warnings, _] = Count::of(&*findings).open;
            let section = alone(source, &analysis, &findings, self.typed, self.is_single);
            let count = Count { open: [errors, warnings, 0], ..Count::default() };
            let effect = PluginEffect::of_findings(&analysis, &findings, errors);
            let is_found = source.unread_base().is_some() && errors > 0;
            return Ok(Preview { section, jobs, count, is_found, is_changed: false, gone: None, effect });
        };
        let compare = if self.typed.upgrade.is_some() { preview::upgrade } else { compare };
        let mut comparison = compare(&mut analysis, &base, known)?;
        comparison.findings.iter_mut().for_each(|found| self.settle(&mut found.finding, source));
        comparison.goes_back_to = goes_back_to(source, &comparison, &self.typed.run);
        let count = Count { open: compared::shown(&comparison, self.typed.all), ..Count::default() };
        let (is_found, gone) = (is_found(&comparison), GoneApplication::of(&comparison));
        let is_changed = comparison.jobs.iter().any(|job| job.verdict.is_a_change() || !job.uses.is_empty());
        let section = section(source, &comparison, self.typed, self.is_single);
        let effect = PluginEffect::of_comparison(&base, &analysis, &comparison);
        Ok(Preview { section, jobs, count, is_found, is_changed, gone, effect })
    }

    /// Gives a finding the level and the help that it has for this source.
    fn settle(&self, finding: &mut Finding, source: &Read) {
        source.settle_level(finding);
        if self.is_without_plugin(source) {
            finding.help = mem::take(&mut finding.help).without_plugin();
        }
    }
}

/// The digits of a commit that are shown.
const SHOWN: usize = 10;

/// The commit in which the source had the manifests that it has now, and not the manifests of the base, if a Job runs because of that. Compares what is
/// rendered, so files elsewhere count; a commit is only looked at if the folder itself was the same.
fn goes_back_to(source: &Read, comparison: &Comparison, run: &Run) -> Option<String> {
    let runs_again = |verdict: &Verdict| verdict.is_a_change() && verdict.runs();
    if !comparison.jobs.iter().any(|job| runs_again(&job.verdict)) {
        return None;
    }
    let path = source.target.path();
    let Input::Revision { dir, revision } = base::input(Some(&path), run).ok()?? else { return None };
    let surroundings = run.environment.surroundings(&Input::Directory(dir.clone()));
    let commit = source::goes_back_to(&dir, &revision, &surroundings)?;
    let earlier = Run { base: Some(format!("rev:{commit}")), ..run.clone() };
    let then = versions::read_base(&source.target, &earlier).ok()??;
    versions::have_same_manifests(&then, source.version()).then(|| commit.chars().take(SHOWN).collect())
}

/// The section of a source that is compared with another version.
fn section(source: &Read, comparison: &Comparison, typed: &Arguments, is_single: bool) -> Section {
    let forecast = comparison.forecast();
    let text = match typed.format {
        Format::Json => json::print_against(comparison, &forecast),
        Format::Markdown if is_single => markdown::print_against(comparison, &forecast, typed.run.base_name()),
        Format::Markdown => markdown::rows(comparison, &forecast),
        Format::Text if is_single => compared::print(comparison, &forecast, typed.show()),
        Format::Text => compared::below(comparison, &forecast, false, typed.show()),
    };
    let is_quiet = comparison.is_quiet();
    let is_alone = is_quiet || is_single || typed.format == Format::Json;
    let name = source.target.application().map_or_else(|| value_sets::named(source), ToOwned::to_owned);
    let same = || Same { forecast: forecast.masked(&name), findings: compared::rules(comparison) };
    Section { row: 0, same: (!is_alone).then(same), forecast, owner: source.owner, text, is_quiet }
}

/// Whether a sync fails, or there is an error that the other version does not have.
fn is_found(comparison: &Comparison) -> bool {
    let fails = comparison.failing_jobs() > 0;
    let is_new_error = |found: &NewOrOld| found.is_new && found.finding.level == Level::Error && !found.is_later();
    let is_blocked = comparison.jobs.iter().any(|job| job.of_versions.iter().any(|change| change.is_harmful()));
    fails || is_blocked || comparison.is_refused() || comparison.findings.iter().any(is_new_error)
}

/// The problems of an analysis, as an error.
pub(in crate::cli) fn check_problems(problems: &[Problem]) -> Result<()> {
    Refused::check(problems)
}

/// The section of a source without `--base`.
fn alone(source: &Read, analysis: &Analysis<'_>, findings: &[Finding], typed: &Arguments, is_single: bool) -> Section {
    let survey = &analysis.survey;
    let (report, changes) = (preview::report(analysis), changes(survey));
    let forecast = report.forecast();
    let text = match typed.format {
        Format::Json => json::print(&report, &forecast, findings, &changes),
        Format::Markdown => markdown::print(&report, &forecast, findings, &changes, is_single),
        Format::Text => {
            let diff = match typed.diff {
                When::Auto => ShowDiff::Short,
                When::Always => ShowDiff::Always,
                When::Never => ShowDiff::Never,
            };
            View { report: &report, findings, changes: &changes, diff, show: typed.show() }.print(&forecast, is_single)
        }
    };
    let is_found = |finding: &Finding| finding.state == State::Open && finding.level >= Level::Warning;
    let is_quiet = report.jobs.is_empty() && !findings.iter().any(is_found);
    Section { row: 0, forecast, owner: source.owner, text, is_quiet, same: None }
}
