//! What was typed, parsed once: the arguments that every subcommand that reads manifests has.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::ArgMatches;
use clap::parser::ValueSource;
use deployment::{Environment, Run, VALUES_SET};

use super::flags::{PLUGIN, REQUIRE_COVERAGE, UNUSED};
use super::typed_settings;

/// The names of the argument with the paths: a subcommand has one of the two.
const PATHS: [&str; 2] = ["PATH", "DIR"];

/// Parses the arguments, and reads the files that a value names with `@FILE`; `matches` are the arguments of the subcommand. An error for a
/// setting that is not `NAME=VALUE`, and for a file that cannot be read.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Run> {
    let is_argument = |id: &&str| matches.try_contains_id(id).is_ok_and(|has| has);
    let path = PATHS.into_iter().find(is_argument).ok_or_else(|| anyhow!("no path"))?;
    Ok(Run {
        paths: texts(matches, path),
        has_path: matches.value_source(path) == Some(ValueSource::CommandLine),
        base: text(matches, "base"),
        base_called: None,
        applications: Some(texts(matches, "application"))
            .filter(|named| !named.is_empty())
            .map(|named| named.into_iter().map(PathBuf::from).collect()),
        repository_urls: texts(matches, "repository-url"),
        repositories: texts(matches, "repo"),
        argocd_namespace: text(matches, "argocd-namespace"),
        unused: is_set(matches, UNUSED),
        branch: text(matches, "branch"),
        clusters: matches.try_get_one::<PathBuf>("clusters").ok().flatten().cloned(),
        requires_coverage: is_set(matches, REQUIRE_COVERAGE),
        plugin: matches.try_get_one::<bool>(PLUGIN).ok().flatten().copied(),
        value_sets: texts(matches, VALUES_SET),
        settings: typed_settings::of(matches)?,
        environment: environment.clone(),
    })
}

/// Whether a flag is set; false for a subcommand that does not have it.
fn is_set(matches: &ArgMatches, id: &str) -> bool {
    matches.try_get_one::<bool>(id).ok().flatten().is_some_and(|is_set| *is_set)
}

/// The value of a flag; `None` for a subcommand that does not have the flag.
fn text(matches: &ArgMatches, id: &str) -> Option<String> {
    texts(matches, id).pop()
}

/// All values of a flag or an argument; empty for a subcommand that does not have it.
fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned().collect()
}
