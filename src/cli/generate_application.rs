//! `argocd-jobs generate --application`: the source is what an Application names. Without the flag, what was typed is rewritten.

use std::time::Instant;

use anyhow::Result;
use clap::ArgMatches;
use deployment::{Environment, search, versions};

use super::status::Status;
use super::{arguments, generate};

/// Rewrites the only source of the Application that was named.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    if !matches.contains_id("application") {
        return generate::run(matches, environment);
    }
    confined::limit_own_memory();
    let started = Instant::now();
    let run = arguments::run(matches, environment)?;
    let Some(found) = search::declared(&run)? else { return generate::run(matches, environment) };
    let target = found.only(&run.environment.notes)?;
    let version = versions::read(&target, &run)?;
    generate::print(&version, matches, started, || target.kind())
}
