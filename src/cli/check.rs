//! `argocd-jobs check`

use std::borrow::Cow;

use anyhow::Result;
use argocd_jobs::finding::{Level, State};
use argocd_jobs::output::check::{github, json, sarif, text};
use clap::{Arg, ArgMatches, Command, value_parser};

use super::choice::{self, choice, value};
use super::environment::Environment;
use super::paths::RelativeTo;
use super::progress::Progress;
use super::status::{Status, print};
use super::{args, versions};

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
        .arg(args::source())
        .args([format, deny, args::base("Tell only what another version does not have: a directory, or a git revision of this one"), args::color()])
        .args(args::settings_flags())
}

/// Prints the findings, or those that another version does not have.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let format: Format = value(matches, "format");
    let progress = Progress::begin("reading manifests");
    let version = versions::read(matches, environment, format.relative_to())?;
    progress.next("reading the other version");
    let base = versions::read_base(matches, environment)?;
    progress.next("looking for findings");
    let analysis = version.analyze();
    let findings = match &base {
        Some((_, base)) => analysis.new_findings(&base.analyze()).map(Cow::Owned),
        None => analysis.findings().map(Cow::Borrowed),
    };
    let findings = findings?;
    let out = match format {
        Format::Json => json::print(&findings, &analysis.survey),
        Format::Sarif => sarif::print(&findings, &analysis.survey, &version.shown_as.to_string_lossy()),
        Format::Github => github::print(&findings, &version.manifests),
        Format::Text if base.is_some() && findings.is_empty() => "no new findings\n".to_owned(),
        Format::Text => text::print(&findings, &version.manifests, environment.paint(value(matches, "color"))),
    };
    drop(progress);
    print(&out)?;
    let deny = matches.get_one("deny").copied().unwrap_or(Level::Error);
    let is_denied = findings.iter().any(|finding| finding.state == State::Open && finding.rule.level >= deny);
    Ok(if is_denied { Status::Found } else { Status::Done })
}
