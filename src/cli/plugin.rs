//! What Argo CD and editors ask of a plugin: `argocd-jobs parameters`, `discover` and `schema`.

use std::path::PathBuf;

use anyhow::Result;
use argocd_jobs::plugin;
use argocd_jobs::settings::RawLayers;
use argocd_jobs::source::{Input, Renderer, Source, Surroundings};
use argocd_jobs::version::read_layers;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};

use super::environment::Environment;
use super::paths::RelativeTo;
use super::status::{Status, print};

/// The arguments of `parameters`.
pub(super) fn parameters() -> Command {
    Command::new("parameters")
        .about("Announce the parameters to Argo CD, with the values that hold when the Application sets none")
        .arg(directory())
}

/// Prints the announcement of the parameters.
pub(super) fn announce(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let input = Input::Directory(dir(matches));
    let surroundings = environment.surroundings(&input, RelativeTo::WorkingDirectory);
    // The UI is about to change what the Application sets: that is not part of the announcement, and no error in it keeps the UI from
    // correcting it.
    let texts = RawLayers { environment: &environment.variables, ..RawLayers::default() };
    let mut source = Source::open(input, &surroundings)?;
    let layers = read_layers(&mut source, &texts)?;
    let tool = source.renderer(&layers.application())?.map(Renderer::source);
    print_line(&plugin::announcement(&layers.above_jobs(), tool))
}

/// The arguments of `discover`.
pub(super) fn discover() -> Command {
    Command::new("discover")
        .about("Print the name of the config file when the directory has one; the exit status is 0 either way")
        .arg(directory())
}

/// Prints the name of the config file, if there is one.
pub(super) fn run_discover(matches: &ArgMatches, _: &Environment) -> Result<Status> {
    let mut source = Source::open(Input::Directory(dir(matches)), &Surroundings::default())?;
    source.marker().map_or(Ok(Status::Done), print_line)
}

/// The arguments of `schema`.
pub(super) fn schema() -> Command {
    Command::new("schema").about("Print the JSON schema of the config file .argocd-jobs.yaml")
}

/// Prints the schema of the config file.
pub(super) fn print_schema(_: &ArgMatches, _: &Environment) -> Result<Status> {
    print_line(&plugin::schema())
}

fn directory() -> Arg {
    Arg::new("DIR")
        .help("The Application's source directory")
        .value_hint(ValueHint::DirPath)
        .default_value(".")
        .value_parser(value_parser!(PathBuf))
}

fn dir(matches: &ArgMatches) -> PathBuf {
    matches.get_one("DIR").cloned().unwrap_or_else(|| PathBuf::from("."))
}

fn print_line(line: &str) -> Result<Status> {
    print(&format!("{line}\n"))?;
    Ok(Status::Done)
}
