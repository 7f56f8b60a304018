//! `argocd-jobs check`

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use argocd_jobs::finding::{Level, State};
use argocd_jobs::output::check::{github, json, sarif, text};
use argocd_jobs::output::paint::Paint;
use clap::ArgMatches;

use super::paths::RelativeTo;
use super::progress::Progress;
use super::{Ended, Environment, described_setting, version};

/// `argocd-jobs check`
pub(crate) fn check(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let format = matches.get_one::<String>("format").map_or("text", String::as_str);
    let relative_to = match format {
        "sarif" | "github" => RelativeTo::Checkout,
        _ => RelativeTo::WorkingDirectory,
    };
    let progress = Progress::begin("reading manifests");
    let version = version::read(matches, environment, relative_to)?;
    progress.next("reading the other version");
    let base = version::read_base(matches, environment)?;
    progress.next("looking for findings");
    let analysis = version.analyze();
    let findings = match &base {
        Some((_, base)) => analysis.new_findings(&base.analyze()).map(Cow::Owned),
        None => analysis.findings().map(Cow::Borrowed),
    };
    let findings = findings.map_err(described_setting)?;
    let out = match format {
        "json" => json::print(&findings, &analysis.survey),
        "sarif" => sarif::print(&findings, &analysis.survey, &version.shown_as.to_string_lossy()),
        "github" => github::print(&findings, &version.manifests),
        _ if base.is_some() && findings.is_empty() => "no new findings\n".to_owned(),
        _ => text::print(&findings, &version.manifests, environment.paint(matches)),
    };
    drop(progress);
    io::stdout().lock().write_all(out.as_bytes()).context("cannot write to standard output")?;
    let deny = matches.get_one::<String>("deny").and_then(|level| Level::parse(level)).unwrap_or(Level::Error);
    let denied = findings.iter().any(|finding| finding.state == State::Open && finding.rule.level >= deny);
    Ok(if denied { Ended::Found } else { Ended::Done })
}

impl Environment {
    /// Whether standard output is coloured.
    pub(super) fn paint(&self, matches: &ArgMatches) -> Paint {
        let is_terminal = || io::stdout().is_terminal() && self.get("NO_COLOR").is_none();
        let coloured = match matches.get_one::<String>("color").map(String::as_str) {
            Some("always") => true,
            Some("never") => false,
            _ => is_terminal() && self.get("TERM").as_deref() != Some("dumb"),
        };
        if coloured { Paint::Coloured } else { Paint::Plain }
    }
}
