//! `argocd-jobs generate --application`: the source is what an Application names. Without the flag, what was typed is rewritten.

use std::time::Instant;

use anyhow::Result;
use clap::ArgMatches;
use deployment::{Environment, search, versions};

use super::status::Status;
use super::{arguments, generate};

/// Rewrites the only source of the Application that was named, or else the source that was typed.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    confined::limit_own_memory();
    let started = Instant::now();
    let run = arguments::run(matches, environment)?;
    let Some(found) = search::declared(&run)? else { return generate::typed(&run, matches, started) };
    let target = found.only(&run.environment.notes)?;
    let version = versions::read(&target, &run)?;
    generate::print(&version, matches, started, || target.kind())
}
