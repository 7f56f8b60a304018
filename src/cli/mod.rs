//! The command line: one file for each subcommand, with its arguments and what it does. Only this folder knows clap.

mod application_flags;
mod arguments;
mod case_mistake;
mod check;
mod completions;
mod explain;
mod fix;
mod flags;
mod generate;
mod generate_application;
mod help;
mod level;
mod notes;
mod own_memory;
mod plugin;
mod preview;
mod progress;
mod sidecar;
mod status;
mod terminal;
mod test;
mod typed_settings;
mod upgrade;
mod usage;
mod value_flags;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use deployment::Environment;
use golden::{IN_A_CASE, JUDGED, ON_PURPOSE};

pub(crate) use case_mistake::of_usage;
pub(crate) use status::Status;
pub(crate) use usage::message as usage_message;

/// A subcommand: its arguments, and what it does.
struct Subcommand {
    command: fn() -> Command,
    run: fn(&ArgMatches, &Environment) -> Result<Status>,
}

/// All subcommands, in the order of the help.
const SUBCOMMANDS: [Subcommand; 12] = [
    Subcommand { command: generate::command, run: generate_application::run },
    Subcommand { command: preview::command, run: preview::run },
    Subcommand { command: check::command, run: check::run },
    Subcommand { command: upgrade::command, run: upgrade::run },
    Subcommand { command: preview::adopt::command, run: preview::adopt::run },
    Subcommand { command: explain::command, run: explain::run },
    Subcommand { command: test::command, run: test::run },
    Subcommand { command: plugin::parameters, run: plugin::announce },
    Subcommand { command: plugin::discover, run: plugin::run_discover },
    Subcommand { command: sidecar::command, run: sidecar::run },
    Subcommand { command: plugin::schema, run: plugin::print_schema },
    Subcommand { command: completions::command, run: |matches, _| completions::run(matches, typed_command()) },
];

/// The command line as clap knows it, with the flag that `test` puts before the arguments of a case.
pub(crate) fn command() -> Command {
    let flag = Arg::new(IN_A_CASE).long(IN_A_CASE).hide(true).require_equals(true).value_parser([JUDGED, ON_PURPOSE]);
    typed_command().arg(flag)
}

/// Runs the subcommand that was typed, and prints its notes, also those before an error.
pub(crate) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let ended = run_subcommand(matches, environment);
    notes::tell(&environment.notes);
    ended
}

fn run_subcommand(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let (name, arguments) = matches.subcommand().ok_or_else(|| anyhow!("no command"))?;
    let subcommand = SUBCOMMANDS.iter().find(|subcommand| (subcommand.command)().get_name() == name);
    let subcommand = subcommand.ok_or_else(|| anyhow!("unknown command `{name}`"))?;
    // `generate` has a limit of its own: what one Application may take.
    if ["adopt", "check", "preview", "upgrade"].contains(&name) {
        confined::watch_own_memory(own_memory::exceeded);
    }
    if matches.get_one::<String>(IN_A_CASE).is_none_or(|mode| mode != JUDGED) {
        return (subcommand.run)(arguments, environment);
    }
    case_mistake::find(arguments, environment)?;
    let reads_nothing = name == "explain";
    (subcommand.run)(arguments, environment)
        .map_err(|error| if reads_nothing { case_mistake::of_error(&error) } else { case_mistake::of_machine(error) })
}

/// The command line as users type it.
fn typed_command() -> Command {
    let command = Command::new("argocd-jobs")
        // Not `argocd-jobs.exe`, and not the path of the program.
        .bin_name("argocd-jobs")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Argo CD plugin and linter that make Kubernetes Jobs safe to change in Git")
        .long_about(
            "Argo CD plugin and linter that make Kubernetes Jobs safe to change in Git.\n\n\
             Most fields of a Job are immutable, so the sync that first changes an image fails with `field is immutable`. This program \
             finds such Jobs before they are merged, shows what a sync will run, and, as a plugin of Argo CD, rewrites the Jobs of an \
             Application so that every sync can apply them. Every other byte of the manifests stays as it is.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| help::of_subcommand((subcommand.command)())));
    help::of_program(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_command_line_with_and_without_values() {
        command().debug_assert();
        completions::with_values(typed_command()).debug_assert();
    }
}
