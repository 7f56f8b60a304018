//! What Argo CD and editors ask of a plugin: `argocd-jobs parameters`, `discover` and `schema`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use deployment::Environment;
use render::Renderer;
use report::plugin;
use rewrite::settings::RawLayers;
use source::{Input, Source, Surroundings, read_layers};

use super::help;
use super::status::{Status, print};

/// The arguments of `parameters`.
pub(super) fn parameters() -> Command {
    Command::new("parameters")
        .about("Print the parameters for Argo CD's UI, as JSON; Argo CD calls this in the plugin")
        .hide(true)
        .after_help(help::examples(
            &[
                ("Print what Argo CD shows for an Application", "argocd-jobs parameters apps/shop"),
                ("Print the names of the parameters", "argocd-jobs parameters | jq -r '.[].name'"),
                ("See what a default of the platform owner changes", "ARGOCD_JOBS_TTL=3600 argocd-jobs parameters"),
            ],
            help::EXIT_STATUS,
        ))
        .arg(directory())
}

/// Prints the announcement of the parameters.
pub(super) fn announce(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let input = Input::Directory(dir(matches));
    let surroundings = environment.surroundings(&input);
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
        .about("Print `.argocd-jobs.yaml` if the directory has this file; Argo CD calls this to find the plugin's Applications")
        .hide(true)
        .after_help(help::examples(
            &[
                ("Ask whether Argo CD finds the plugin for a directory", "argocd-jobs discover apps/shop"),
                ("Ask the same for the working directory", "argocd-jobs discover"),
                ("Use it in a script", "test -n \"$(argocd-jobs discover apps/shop)\" && echo found"),
            ],
            "Exit status: 0 with and without the file, 2 error.",
        ))
        .arg(directory())
}

/// Prints the name of the config file, if there is one.
pub(super) fn run_discover(matches: &ArgMatches, _: &Environment) -> Result<Status> {
    let mut source = Source::open(Input::Directory(dir(matches)), &Surroundings::default())?;
    source.marker().map_or(Ok(Status::Done), print_line)
}

/// The arguments of `schema`.
pub(super) fn schema() -> Command {
    Command::new("schema").about("Print the JSON schema of the config file .argocd-jobs.yaml").after_help(
        help::examples(
            &[
                ("Save the schema beside the config file", "argocd-jobs schema > .argocd-jobs.schema.json"),
                ("List the keys of the config file", "argocd-jobs schema | jq -r '.properties | keys[]'"),
                (
                    "Validate a config file with check-jsonschema",
                    "check-jsonschema --schemafile <(argocd-jobs schema) .argocd-jobs.yaml",
                ),
            ],
            help::EXIT_STATUS,
        ),
    )
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
