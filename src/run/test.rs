//! `argocd-jobs test`

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use argocd_jobs::golden::{self, Request};
use clap::ArgMatches;

use super::{Ended, Environment, described};

/// A case takes milliseconds; one that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// `argocd-jobs test`
pub(crate) fn test(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let dir = matches.get_one::<PathBuf>("DIR").ok_or_else(|| anyhow!("no directory"))?;
    let program = env::current_exe().context("cannot find the program itself")?;
    let request = Request {
        dir,
        filter: matches.get_one::<String>("filter").map_or("", String::as_str),
        program: &program,
        tools: &environment.tools(),
        limit: LIMIT,
        update: matches.get_flag("update"),
        in_a_case: environment.in_a_case,
    };
    let report = golden::run(&request).map_err(|errors| described(&errors))?;
    write!(io::stdout().lock(), "{report}").context("cannot write to standard output")?;
    Ok(if report.is_good() { Ended::Done } else { Ended::Found })
}
