//! `argocd-jobs preview`

mod one;
mod several;

use anyhow::{Result, anyhow};
use argocd_jobs::text::Message;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::choice::When;
use super::environment::Environment;
use super::inputs::{self, Inputs};
use super::status::Status;
use super::{applications, args};
use one::Format;

/// Its arguments.
pub(super) fn command() -> Command {
    let diff = Arg::new("diff")
        .long("diff")
        .value_name("WHEN")
        .help("Show what the rewrite changes; `auto` does it when that is short")
        .default_value("auto")
        .value_parser(value_parser!(When));
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How it is printed; markdown is for a comment on a pull request")
        .default_value("text")
        .value_parser(value_parser!(Format));
    let baseline = Arg::new("baseline")
        .long("baseline")
        .help("Print only the content hashes of all Jobs as they are, for `baseline` in the config file .argocd-jobs.yaml")
        .conflicts_with_all(["base", "format"])
        .action(ArgAction::SetTrue);
    let exit_code = Arg::new("exit-code")
        .long("exit-code")
        .help("With --base: end with status 1 when a Job is new, gone, changed, or runs again")
        .requires("base")
        .action(ArgAction::SetTrue);
    Command::new("preview")
        .about("Show what a sync will run: which Jobs, when and why, in which order, and what is changed in them")
        .after_help("Exit status: 0 done, 1 with --exit-code when something changes, 2 could not do it.")
        .arg(inputs::paths())
        .args([
            format,
            baseline,
            args::base("Compare with another version: a directory, a file, or a git revision of this one (`rev:NAME` is always a revision, `./NAME` a path)"),
            exit_code,
            diff,
            args::color(),
        ])
        .args(applications::flags())
        .args(args::settings_flags())
}

/// Prints what a sync will run, of one source or several, of one version or against another one.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    // A baseline is for one config file.
    if matches.get_flag("baseline") {
        return match inputs::only(matches, environment)? {
            Some(target) => one::run(&target, matches, environment),
            None => Err(anyhow!(Message::new("`--baseline` is for one source").help("name one directory"))),
        };
    }
    match inputs::of(matches, environment)? {
        Inputs::One(target) => one::run(&target, matches, environment),
        Inputs::Several(several) => several::run(&several, matches, environment),
    }
}
