//! `argocd-jobs explain`

use std::io::{self, Write};

use anyhow::{Context, Result, anyhow};
use argocd_jobs::output::explain::{self, Unknown};
use argocd_jobs::text::Message;
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
    let help = match &unknown.nearest {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`argocd-jobs explain` lists all of them".to_owned(),
    };
    anyhow!(Message::new(format!("no finding or strategy has the id `{id}`")).help(help))
}
