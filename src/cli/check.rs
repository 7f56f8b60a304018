//! `argocd-jobs check`

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ::text::{Message, harmless_in_a_log};
use anyhow::{Result, anyhow};
use clap::{ArgMatches, Command};
use deployment::reading::{self, Reading};
use deployment::row::{Outcome, PassedOver, Row, Unrendered};
use deployment::{Environment, PathsFrom, Read, Run, build_options, real, sources, value_sets, versions};
use lint::count::Count;
use lint::survey::Compared;
use lint::{Analysis, Finding, Level, State};
use report::check::{Sheet, fixes, github, gitlab, json, sarif, text, unrendered};
use report::show::Show;
use report::sources as table;
use rewrite::plan::Together;
use rewrite::version::Version;
use system::threads::{self, MAX_THREADS};

use super::fix::{Asked, Fixes};
use super::flags::{self, When, choice, flag, one_of, switch, value};
use super::notes::{note, tell};
use super::progress::Progress;
use super::status::{Status, print, print_text};
use super::{application_flags, arguments, fix, level, terminal, typed_settings, value_flags};

choice! {
    /// How findings are printed.
    Format { Text = "text", Json = "json", Sarif = "sarif", Github = "github", Gitlab = "gitlab" }
}

impl Format {
    /// From where its paths are shown: people and scripts are in the working directory, code scanning has a checkout.
    fn paths_from(self) -> PathsFrom {
        match self {
            Self::Text | Self::Json => PathsFrom::WorkingDirectory,
            Self::Sarif | Self::Github | Self::Gitlab => PathsFrom::Checkout,
        }
    }
}

/// Below the options of `--help`.
const EXAMPLES: &str = "\
Examples:
  See what is wrong in this repository:
    argocd-jobs check .
  See what the plugin would fix:
    argocd-jobs check . --plugin
  Report only the findings that a branch adds, and fail on warnings too:
    argocd-jobs check apps/shop --base origin/main --deny warning
  Check rendered manifests:
    kubectl kustomize apps/shop | argocd-jobs check -
  See what can be fixed, then fix what keeps the meaning of the manifests:
    argocd-jobs check apps/shop --diff
    argocd-jobs check apps/shop --fix

Exit status: 0 success, 1 findings at or above the level of --deny, 2 error; the same for every format.";

/// The arguments of `check`.
pub(super) fn command() -> Command {
    let deny = flag("deny", "LEVEL")
        .help("Exit with status 1 if there are findings at or above this level")
        .default_value("error")
        .value_parser(level::parser());
    let format = one_of::<Format>("format", "FORMAT", "text")
        .help("Output format: `text` for people, `json` for programs, `sarif` for code scanning, `github` for GitHub Actions, `gitlab` for GitLab Code Quality");
    let all = switch("all")
        .help("List every finding one by one, including those of level info and those that the plugin fixes");
    let base =
        flags::base("Report only findings that are not in another version: a directory, a file, or a Git revision");
    Command::new("check")
        .about("Find what is wrong or dangerous about the Jobs under Argo CD, with the plugin or without it")
        .after_help(EXAMPLES)
        .arg(flags::paths())
        .args([flags::plugin(), base, deny, all, format, flags::color()])
        .args(fix::flags())
        .args(application_flags::flags())
        .args(application_flags::search_flags())
        .arg(value_flags::values_set())
        .args(typed_settings::flags())
}

/// What was typed.
struct Arguments {
    run: Run,
    format: Format,
    /// The lowest level of findings that make the exit status 1.
    deny: Level,
    all: bool,
    color: When,
    fix: Option<Asked>,
}

impl Arguments {
    fn of(matches: &ArgMatches, environment: &Environment) -> Result<Self> {
        let mut run = arguments::run(matches, environment)?;
        run.check_plugin()?;
        run.check_value_sets()?;
        build_options::settle(&mut run);
        let fix = fix::asked(matches, &run)?;
        let format: Format = value(matches, "format");
        run.environment.paths_from = format.paths_from();
        if fix.is_some_and(|asked| asked.shows_diff) && format != Format::Text {
            let message = Message::new("`--diff` prints a diff, and no other `--format`");
            return Err(anyhow!(message.help("remove one of the two")));
        }
        Ok(Self {
            run,
            format,
            deny: matches.get_one("deny").copied().unwrap_or(Level::Error),
            all: matches.get_flag("all"),
            color: value(matches, "color"),
            fix,
        })
    }

    /// How much is shown.
    fn show(&self) -> Show {
        Show {
            paint: terminal::paint(&self.run.environment, self.color),
            width: terminal::width(&self.run.environment),
            all: self.all,
            info: self.deny == Level::Info,
            only_new: self.run.base.is_some(),
        }
    }
}

/// Prints the findings, or only the findings that another version does not have.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let typed = Arguments::of(matches, environment)?;
    let sources = sources::of(&typed.run)?;
    let progress = Progress::begin("reading the sources");
    let mut reading = reading::read(sources, &typed.run, &|what| progress.next(what))?;
    let fixes = fixed(&mut reading, &typed, &progress)?;
    reading.join_sources();
    reading.tell_unseen(&typed.run.environment.notes);
    tell(&typed.run.environment.notes);
    progress.next("looking for findings");
    let Reading { read, passed_over, is_single } = &reading;
    let together = reading.together();
    let analyses = analyses(read, together.as_ref(), fixes.as_ref(), typed.format);
    reading::check_size(&together)?;
    let of_one = |(one, analysis)| findings_of(one, analysis, *is_single);
    let mut findings = read.iter().zip(&analyses).map(of_one).collect::<Result<Vec<_>>>()?;
    let counts: Vec<Count> = findings.iter().map(|findings| Count::of(findings.as_ref())).collect();
    value_sets::merge(read, &mut findings);
    let both = read.iter().zip(&analyses).zip(&findings);
    let sheets: Vec<Sheet<'_>> = both.map(|((one, analysis), findings)| sheet_of(one, analysis, findings)).collect();
    drop(progress);
    if let Some(status) = report_fixes(fixes.as_ref(), &sheets, typed.show())? {
        return Ok(status);
    }
    let rows: Option<Vec<Row>> = (!is_single).then(|| read.iter().zip(sheets.iter().zip(&counts)).map(row).collect());
    // A comparison is about what is new.
    let unrendered = if typed.run.base.is_some() { Vec::new() } else { value_sets::unrendered(read, &typed.run) };
    let open = sheets.iter().flat_map(|sheet| sheet.findings).filter(|finding| finding.state == State::Open);
    let broken = open.filter(|finding| finding.rule.ends_the_sync()).filter_map(|finding| finding.place.as_ref());
    let passed_over = &passed_over.told_at(&broken.collect());
    print_report((&sheets, &unrendered), rows.as_deref().zip(Some(passed_over)), fixes.as_ref(), &typed)?;
    value_sets::check_rendered(read, &typed.run)?;
    let is_denied = |finding: &Finding| finding.state == State::Open && finding.level >= typed.deny;
    let is_partial = typed.run.requires_coverage && rows.is_some_and(|rows| !table::is_all_checked(&rows, passed_over));
    let is_found =
        is_partial || passed_over.has_unread() || sheets.iter().flat_map(|sheet| sheet.findings).any(is_denied);
    Ok(if is_found { Status::Found } else { Status::Done })
}

/// Fixes the sources in memory, and writes their files unless only the differences are wanted. `None` without `--fix` and `--diff`.
fn fixed(reading: &mut Reading, typed: &Arguments, progress: &Progress) -> Result<Option<Fixes>> {
    let Some(asked) = typed.fix else { return Ok(None) };
    if let Some(together) = reading.together() {
        // Before anything is written.
        drop(analyses(&reading.read, Some(&together), None, typed.format));
        reading::check_size(&Some(together))?;
    }
    progress.next("fixing findings");
    let read = &mut reading.read;
    let mut versions: Vec<&mut Version> = read
        .iter_mut()
        .filter(|one| !one.target.is_elsewhere())
        .filter_map(|one| one.new.as_deref_mut().ok())
        .collect();
    let fixes = fix::fix(&mut versions, asked)?;
    if !asked.shows_diff {
        fixes.write()?;
        if fixes.files() > 0
            && let Err(error) = render_again(read, &fixes, typed)
        {
            fixes.undo()?;
            return Err(error.context("with the fixes, a source cannot be rendered any more, so they are taken back"));
        }
    }
    Ok(Some(fixes))
}

/// Renders the sources again that can have a changed file in them: each kustomization, and a chart with such a file in its folder.
fn render_again(read: &mut [Read], fixes: &Fixes, typed: &Arguments) -> Result<()> {
    let changed = fixes.changed_files();
    let has_changed_in = |folder: PathBuf| changed.iter().any(|file| file.starts_with(&folder));
    let is_touched = |one: &Read| {
        let mut rendered = one.version().manifests.iter().filter(|manifest| manifest.origin.is_rendered());
        rendered.any(|manifest| !manifest.is_of_a_chart() || has_changed_in(real(&one.target.path())))
    };
    let touched: Vec<usize> = (0..read.len()).filter(|index| is_touched(&read[*index])).collect();
    let render = |(): &mut (), index: usize| versions::read(&read[touched[index]].target, &typed.run);
    let rendered = threads::in_order(touched.len(), MAX_THREADS, || (), render);
    for (index, version) in touched.into_iter().zip(rendered) {
        if let Ok(new) = &mut read[index].new {
            new.manifests = version?.manifests;
        }
    }
    Ok(())
}

/// Reports skipped fixes on standard error. With `--diff`, prints the differences and nothing else, and returns the status.
fn report_fixes(fixes: Option<&Fixes>, sheets: &[Sheet<'_>], show: Show) -> Result<Option<Status>> {
    let Some(fixes) = fixes else { return Ok(None) };
    fixes.tell(sheets.iter().flat_map(|sheet| sheet.findings));
    if !fixes.shows_diff {
        return Ok(None);
    }
    print_text(&fixes.diff(show.paint))?;
    if fixes.files() == 0 {
        note("there is nothing to fix");
        return Ok(Some(Status::Done));
    }
    note(&format!("`{}` would fix {}", fixes.flag(), fixes.count()));
    Ok(Some(Status::Found))
}

/// Whether `--fix` refused to write the file.
fn was_refused(fixes: Option<&Fixes>, path: &Path) -> bool {
    fixes.is_some_and(|fixes| fixes.is_refused(path))
}

/// What was fixed, before and after the findings that are left; nothing without `--fix`.
fn fixed_parts(fixes: Option<&Fixes>, show: Show) -> (String, String) {
    let Some(fixes) = fixes else { return Default::default() };
    let count = match fixes.fixed.len() {
        0 => "nothing fixed\n".to_owned(),
        _ => format!("fixed {}\n", fixes.count()),
    };
    (fixes::list(&fixes.fixed, show), count)
}

/// Printed when `--base` leaves no findings.
const NO_NEW: &str = "no new findings\n";

/// The analysis of each source, with what can be fixed in its files.
fn analyses<'r>(
    read: &'r [Read],
    together: Option<&'r Together>,
    fixes: Option<&Fixes>,
    format: Format,
) -> Vec<Analysis<'r>> {
    let analyze = |(): &mut (), index: usize| {
        let mut analysis = Analysis::among(read[index].version(), together, Compared::No);
        // No other format says it, and it takes as long again.
        if format == Format::Text {
            analysis.ask_the_plugin();
        }
        analysis.offer_fixes(&|path| was_refused(fixes, path));
        analysis.survey.forget_documents();
        analysis
    };
    threads::in_order(read.len(), MAX_THREADS, || (), analyze)
}

/// The findings of a source, or only the findings that its base does not have. For one of several sources, the failure to read it is a finding, and
/// every finding has a place.
fn findings_of<'a>(one: &Read, analysis: &'a Analysis<'_>, is_single: bool) -> Result<Cow<'a, [Finding]>> {
    if one.failure().is_some() {
        return Ok(Cow::Owned(one.not_rendered().into_iter().collect()));
    }
    let found = match one.base() {
        None => Cow::Borrowed(analysis.findings()?),
        Some(base) => {
            let base = Analysis::after(analysis, base, None, Compared::No);
            versions::check_size(&base)?;
            Cow::Owned(analysis.new_findings(&base)?)
        }
    };
    if is_single {
        return Ok(found);
    }
    Ok(Cow::Owned(one.placed(found.into_owned().into_iter().chain(one.unseen_findings()).collect())))
}

/// Prints the report in the format of `--format`, with the templates of charts that no value set renders. `table` has the rows of several sources, and the files and folders that are not sources.
fn print_report(
    (sheets, unrendered): (&[Sheet<'_>], &[Unrendered]),
    table: Option<(&[Row], &PassedOver)>,
    fixes: Option<&Fixes>,
    typed: &Arguments,
) -> Result<()> {
    let show = typed.show();
    let out = match typed.format {
        Format::Json => json::print(sheets, table, fixes.map(|fixes| fixes.fixed.as_slice()), unrendered),
        Format::Sarif => sarif::print(sheets),
        // Its lines are commands.
        Format::Github => {
            let counts = table.map(|(rows, passed_over)| table::counts_and_coverage(rows, passed_over, show));
            let unrendered = unrendered::listed(unrendered, show);
            github::print(sheets, show) + &harmless_in_a_log(&(counts.unwrap_or_default() + &unrendered))
        }
        Format::Gitlab => gitlab::print(sheets),
        Format::Text => {
            let (before, after) = fixed_parts(fixes, show);
            let is_quiet = show.only_new && sheets.iter().all(|sheet| sheet.findings.is_empty());
            let summary = if is_quiet { NO_NEW.to_owned() } else { text::summary(sheets, show) };
            let table_of = table.filter(|_| !show.only_new);
            let (table, summary) = match table {
                Some((rows, passed_over)) => {
                    (table::print(rows, passed_over, show), table::with_coverage(&summary, rows, passed_over, show))
                }
                None => (String::new(), summary),
            };
            let many_unused = table_of.and_then(|(rows, passed_over)| table::many_unused(rows, passed_over));
            let first = many_unused.map(|text| show.line(&text) + "\n").unwrap_or_default();
            // What is read first on a terminal is what is printed last.
            let unrendered = unrendered::listed(unrendered, show);
            return print_text(
                &(first
                    + &before
                    + &text::findings(sheets, show)
                    + &table
                    + &unrendered
                    + &after
                    + &summary
                    + &text::plugin_effect(sheets, show)),
            );
        }
    };
    print(&out)
}

fn sheet_of<'s>(one: &'s Read, analysis: &'s Analysis<'_>, findings: &'s [Finding]) -> Sheet<'s> {
    let is_refused = !analysis.problems.is_empty();
    Sheet { findings, survey: &analysis.survey, shown_as: &one.shown_as, further: &one.further, is_refused }
}

/// `count` has all findings of the source, also the findings that the sheet of another value set has.
fn row((one, (sheet, count)): (&Read, (&Sheet<'_>, &Count))) -> Row {
    let outcome = match one.failure() {
        Some(failure) => Outcome::NotChecked(Box::new(failure.into())),
        None => Outcome::Read { jobs: sheet.survey.plan.jobs.len(), count: *count },
    };
    let is_new = *count != Count::default();
    one.row(outcome, is_new)
}
