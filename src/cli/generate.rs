//! `argocd-jobs generate`

use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result};
use clap::{ArgMatches, Command};

use super::environment::Environment;
use super::paths::RelativeTo;
use super::status::{NOT_WRITTEN, Status, problems_error};
use super::target::Target;
use super::versions;
use super::{applications, args};

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("generate")
        .about("Print the manifests as a YAML stream in which every Job can be applied again")
        .after_help("Exit status: 0 done, 2 could not do it; then nothing is on standard output.")
        .arg(args::source())
        .args(applications::flags())
        .args(args::settings_flags())
}

/// Prints the output when all of it could be planned, and nothing otherwise.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let target = match applications::declared(matches, environment)? {
        Some(found) => found.only()?,
        None => Target::typed(args::dir(matches)),
    };
    let version = versions::read(&target, matches, environment, RelativeTo::WorkingDirectory)?;
    let plan = version.plan().map_err(|problems| problems_error(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    version.write(&plan, &mut out).and_then(|()| out.flush()).context(NOT_WRITTEN)?;
    Ok(Status::Done)
}
