//! `argocd-jobs preview`

use std::io::{self, Write};

use anyhow::{Context, Result};
use argocd_jobs::output::preview::changes::changes;
use argocd_jobs::output::preview::text::{ShowDiff, View};
use argocd_jobs::survey::Survey;
use argocd_jobs::{finding, plan, preview};
use clap::ArgMatches;

use super::{Ended, Environment, Loaded, told};

/// `argocd-jobs preview`
pub(crate) fn preview(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let loaded = Loaded::read(matches, environment)?;
    let plan = plan::plan(&loaded.request()).map_err(|problems| told(&problems))?;
    let survey = Survey::of(&loaded.manifests, &plan, &loaded.application);
    let findings = finding::find(&survey, &loaded.settings.output, &[]);
    let report = preview::report(&survey, &loaded.settings.output, &findings);
    let changes = changes(&survey);
    let diff = match matches.get_one::<String>("diff").map(String::as_str) {
        Some("always") => ShowDiff::Always,
        Some("never") => ShowDiff::Never,
        _ => ShowDiff::Short,
    };
    let paint = environment.paint(matches);
    let view = View { survey: &survey, report: &report, findings: &findings, changes: &changes, diff, paint };
    io::stdout().lock().write_all(view.print().as_bytes()).context("cannot write to standard output")?;
    Ok(Ended::Done)
}
