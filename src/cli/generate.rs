//! `argocd-jobs generate`

use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result};
use clap::{ArgMatches, Command};

use super::args;
use super::environment::Environment;
use super::paths::RelativeTo;
use super::status::{NOT_WRITTEN, Status, problems_error};
use super::versions;

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("generate")
        .about("Print the manifests as a YAML stream in which every Job can be applied again")
        .after_help("Exit status: 0 done, 2 could not do it; then nothing is on standard output.")
        .arg(args::source())
        .args(args::settings_flags())
}

/// Prints the output when all of it could be planned, and nothing otherwise.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let version = versions::read(matches, environment, RelativeTo::WorkingDirectory)?;
    let plan = version.plan().map_err(|problems| problems_error(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    version.write(&plan, &mut out).and_then(|()| out.flush()).context(NOT_WRITTEN)?;
    Ok(Status::Done)
}
