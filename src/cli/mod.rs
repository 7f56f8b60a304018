//! The command line: one file for each subcommand, with its arguments and what it does. Only this folder knows clap.

mod applications;
mod args;
mod check;
mod choice;
mod completions;
mod environment;
mod explain;
mod generate;
mod inputs;
mod paths;
mod plugin;
mod preview;
mod progress;
mod several;
mod status;
mod target;
mod test;
mod values;
mod versions;

use anyhow::{Result, anyhow};
use argocd_jobs::golden::IN_A_CASE;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(crate) use environment::Environment;
pub(crate) use status::Status;

/// A subcommand: its arguments, and what it does.
struct Subcommand {
    command: fn() -> Command,
    run: fn(&ArgMatches, &Environment) -> Result<Status>,
}

/// In the order of the help.
const SUBCOMMANDS: [Subcommand; 9] = [
    Subcommand { command: generate::command, run: generate::run },
    Subcommand { command: preview::command, run: preview::run },
    Subcommand { command: check::command, run: check::run },
    Subcommand { command: explain::command, run: explain::run },
    Subcommand { command: test::command, run: test::run },
    Subcommand { command: plugin::parameters, run: plugin::announce },
    Subcommand { command: plugin::discover, run: plugin::run_discover },
    Subcommand { command: plugin::schema, run: plugin::print_schema },
    Subcommand { command: completions::command, run: |matches, _| completions::run(matches, typed_command()) },
];

/// The command line as clap knows it, with the flag that `test` puts before the arguments of a case.
pub(crate) fn command() -> Command {
    typed_command().arg(Arg::new(IN_A_CASE).long(IN_A_CASE).hide(true).action(ArgAction::SetTrue))
}

/// Runs the subcommand that was typed.
pub(crate) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let (name, arguments) = matches.subcommand().ok_or_else(|| anyhow!("no subcommand"))?;
    let subcommand = SUBCOMMANDS.iter().find(|subcommand| (subcommand.command)().get_name() == name);
    let subcommand = subcommand.ok_or_else(|| anyhow!("no subcommand `{name}`"))?;
    (subcommand.run)(arguments, environment)
}

/// Whether the subcommand prints places. `generate` does only in errors, and must not become slower for it.
pub(crate) fn prints_places(matches: &ArgMatches) -> bool {
    matches!(matches.subcommand_name(), Some("check" | "preview"))
}

/// The command line as users type it.
fn typed_command() -> Command {
    Command::new("argocd-jobs")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes Kubernetes Jobs work under Argo CD")
        .long_about(
            "Makes Kubernetes Jobs work under Argo CD.\n\n\
             Many fields of a Job are immutable, so the first change of an image ends in `field is immutable`. This program \
             rewrites the Jobs of an Application so that they can be applied again and again, and leaves every other byte as it was.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| (subcommand.command)()))
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
