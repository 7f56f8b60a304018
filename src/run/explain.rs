//! `argocd-jobs explain`

use std::io::{self, Write};

use anyhow::{Context, Result, anyhow};
use argocd_jobs::output::explain::{self, Unknown};
use clap::ArgMatches;

use super::{Ended, Environment};

/// `argocd-jobs explain`
pub(crate) fn explain(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let paint = environment.paint(matches);
    let out = match matches.get_one::<String>("ID") {
        Some(id) => explain::one(id, paint).map_err(|unknown| told(id, &unknown))?,
        None => explain::all(paint),
    };
    io::stdout().lock().write_all(out.as_bytes()).context("cannot write to standard output")?;
    Ok(Ended::Done)
}

fn told(id: &str, unknown: &Unknown) -> anyhow::Error {
    match &unknown.nearest {
        Some(known) => anyhow!("no finding or strategy has the id `{id}`\nhelp: did you mean `{known}`?"),
        None => anyhow!("no finding or strategy has the id `{id}`\nhelp: `argocd-jobs explain` lists all of them"),
    }
}
