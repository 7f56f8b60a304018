//! `argocd-jobs check`

use std::borrow::Cow;

use anyhow::Result;
use argocd_jobs::finding::{Finding, Level, State};
use argocd_jobs::output::check::{Count, Sheet, github, json, sarif, text};
use argocd_jobs::output::sources::{self, Outcome, Row};
use argocd_jobs::threads::{self, MAX_THREADS};
use argocd_jobs::version::{Analysis, Version};
use clap::{Arg, ArgMatches, Command, value_parser};

use super::choice::{self, choice, value};
use super::environment::Environment;
use super::inputs::{self, Inputs, Several};
use super::paths::RelativeTo;
use super::progress::Progress;
use super::several::Read;
use super::status::{Status, print};
use super::target::Target;
use super::{applications, args, several, versions};

choice! {
    /// How findings are printed.
    Format { Text = "text", Json = "json", Sarif = "sarif", Github = "github" }
}

impl Format {
    /// What its paths are relative to: people and scripts are in the working directory, code scanning has a checkout.
    fn relative_to(self) -> RelativeTo {
        match self {
            Self::Text | Self::Json => RelativeTo::WorkingDirectory,
            Self::Sarif | Self::Github => RelativeTo::Checkout,
        }
    }
}

/// Its arguments.
pub(super) fn command() -> Command {
    let deny = Arg::new("deny")
        .long("deny")
        .value_name("LEVEL")
        .help("End with status 1 from findings of this level on")
        .default_value("error")
        .value_parser(choice::level());
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("What to print: `text` for people, `json` for programs, `sarif` for code scanning, `github` for GitHub Actions")
        .default_value("text")
        .value_parser(value_parser!(Format));
    Command::new("check")
        .about("Find what is wrong or dangerous about the Jobs under Argo CD, as written and as `generate` makes them")
        .after_help("Exit status: 0 done, 1 found something of the level of --deny or above it, 2 could not do it; the same for every format.")
        .arg(inputs::paths())
        .args([format, deny, args::base("Tell only what another version does not have: a directory, a file, or a git revision of this one"), args::color()])
        .args(applications::flags())
        .args(args::settings_flags())
}

/// Prints the findings, or those that another version does not have.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    match inputs::of(matches, environment)? {
        Inputs::One(target) => run_one(&target, matches, environment),
        Inputs::Several(several) => run_several(&several, matches, environment),
    }
}

/// What is printed when there is nothing that the other version does not have.
const NO_NEW: &str = "no new findings\n";

fn run_one(target: &Target, matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let format: Format = value(matches, "format");
    let progress = Progress::begin("reading manifests");
    let version = versions::read(target, matches, environment, format.relative_to())?;
    progress.next("reading the other version");
    let base = versions::read_base(target, matches, environment)?;
    progress.next("looking for findings");
    let analysis = version.analyze();
    let findings = findings_of(&analysis, base.as_ref().map(|(_, base)| base))?;
    let shown_as = version.shown_as.to_string_lossy();
    let sheets = [Sheet { findings: &findings, survey: &analysis.survey, shown_as: &shown_as }];
    let paint = environment.paint(value(matches, "color"));
    let out = match format {
        Format::Json => json::print(&sheets, None),
        Format::Sarif => sarif::print(&sheets),
        Format::Github => github::print(&sheets),
        Format::Text if base.is_some() && findings.is_empty() => NO_NEW.to_owned(),
        Format::Text => text::print(&sheets, paint),
    };
    drop(progress);
    print(&out)?;
    Ok(status(&sheets, matches))
}

/// The findings of a version, or those that its base does not have.
fn findings_of<'a>(analysis: &'a Analysis<'_>, base: Option<&Version>) -> Result<Cow<'a, [Finding]>> {
    Ok(match base {
        Some(base) => Cow::Owned(analysis.new_findings(&base.analyze())?),
        None => Cow::Borrowed(analysis.findings()?),
    })
}

fn run_several(several: &Several, matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let format: Format = value(matches, "format");
    let progress = Progress::begin("reading the sources");
    let read = several::read(several, matches, environment, format.relative_to(), &progress)?;
    progress.next("looking for findings");
    let analyses = threads::in_order(read.len(), MAX_THREADS, || (), |(), index| read[index].version.analyze());
    let mut findings = Vec::with_capacity(read.len());
    for (one, analysis) in read.iter().zip(&analyses) {
        findings.push(match one.not_rendered() {
            Some(finding) => vec![finding],
            None => findings_of(analysis, one.base.as_ref())?.into_owned(),
        });
    }
    let both = read.iter().zip(&analyses).zip(&findings);
    let sheets: Vec<Sheet<'_>> = both.map(|((one, analysis), findings)| sheet_of(one, analysis, findings)).collect();
    let passed_over = several.passed_over();
    let rows: Vec<Row> = read.iter().zip(&sheets).map(row).collect();
    let paint = environment.paint(value(matches, "color"));
    let out = match format {
        Format::Json => json::print(&sheets, Some(&rows)),
        Format::Sarif => sarif::print(&sheets),
        Format::Github => github::print(&sheets) + &sources::counts(&rows, &passed_over),
        Format::Text => {
            let is_quiet = matches.contains_id("base") && findings.iter().all(Vec::is_empty);
            let text = if is_quiet { NO_NEW.to_owned() } else { text::print(&sheets, paint) };
            text + "\n" + &sources::print(&rows, &passed_over, paint)
        }
    };
    drop(progress);
    print(&out)?;
    Ok(status(&sheets, matches))
}

fn sheet_of<'s>(one: &'s Read, analysis: &'s Analysis<'_>, findings: &'s [Finding]) -> Sheet<'s> {
    Sheet { findings, survey: &analysis.survey, shown_as: &one.shown_as }
}

fn row((one, sheet): (&Read, &Sheet<'_>)) -> Row {
    let outcome = match &one.error {
        Some(error) => Outcome::NotChecked(error.clone()),
        None => Outcome::Read { jobs: sheet.survey.plan.jobs.len(), count: Count::of(sheet.findings) },
    };
    one.row(outcome)
}

fn status(sheets: &[Sheet<'_>], matches: &ArgMatches) -> Status {
    let deny = matches.get_one("deny").copied().unwrap_or(Level::Error);
    let is_denied = |finding: &Finding| finding.state == State::Open && finding.rule.level >= deny;
    if sheets.iter().flat_map(|sheet| sheet.findings).any(is_denied) { Status::Found } else { Status::Done }
}
