//! `argocd-jobs check`

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use argocd_jobs::finding::{self, Analysis, Level, State, only_new};
use argocd_jobs::output::check::{github, json, sarif, text};
use argocd_jobs::output::paint::Paint;
use clap::ArgMatches;

use super::paths::{From, put_before};
use super::progress::Progress;
use super::{Ended, Environment, Loaded, dir};

/// `argocd-jobs check`
pub(crate) fn check(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let format = matches.get_one::<String>("format").map_or("text", String::as_str);
    let from = if matches!(format, "sarif" | "github") { From::Checkout } else { From::WorkingDirectory };
    let prefix = dir(matches).map(|dir| environment.prefix(&dir, from)).unwrap_or_default();
    let progress = Progress::begin("reading manifests");
    let mut loaded = Loaded::read(matches, environment)?;
    progress.next("reading the other version");
    let base = Loaded::read_base(matches, environment)?;
    put_before(&prefix, &mut loaded.manifests);
    progress.next("looking for findings");
    loaded.check_ids()?;
    let Analysis { survey, mut findings, .. } = finding::analyze(&loaded.request());
    let is_compared = base.is_some();
    if let Some((_, base)) = base {
        base.check_ids()?;
        let old = finding::analyze(&base.request());
        findings = only_new(findings, &survey, &old.findings, &old.survey);
    }
    let out = match format {
        "json" => json::print(&findings, &survey),
        "sarif" => sarif::print(&findings, &survey, &prefix.to_string_lossy()),
        "github" => github::print(&findings, &loaded.manifests),
        _ if is_compared && findings.is_empty() => "no new findings\n".to_owned(),
        _ => text::print(&findings, &loaded.manifests, environment.paint(matches)),
    };
    drop(progress);
    io::stdout().lock().write_all(out.as_bytes()).context("cannot write to standard output")?;
    let deny = matches.get_one::<String>("deny").and_then(|level| Level::parse(level)).unwrap_or(Level::Error);
    let denied = findings.iter().any(|finding| finding.state == State::Open && finding.row.level >= deny);
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
