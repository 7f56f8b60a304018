//! `argocd-jobs completions`

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use deployment::typed_settings::flagged;
use lint::RULES;
use rewrite::settings::ValueType;

use super::help;
use super::status::{NOT_WRITTEN, Status};

/// The arguments of `completions`.
pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print the completion script for a shell")
        .after_help(help::examples(
            &[
                ("Complete in this bash", "source <(argocd-jobs completions bash)"),
                ("Complete in every zsh", "argocd-jobs completions zsh > \"${fpath[1]}/_argocd-jobs\""),
                (
                    "Complete in every fish",
                    "argocd-jobs completions fish > ~/.config/fish/completions/argocd-jobs.fish",
                ),
            ],
            help::EXIT_STATUS,
        ))
        .arg(Arg::new("SHELL").help("The shell").required(true).value_parser(value_parser!(Shell)))
}

/// Prints the script that completes `command`.
pub(super) fn run(matches: &ArgMatches, command: Command) -> Result<Status> {
    let Some(shell) = matches.get_one::<Shell>("SHELL") else { return Ok(Status::Done) };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut with_values(command), "argocd-jobs", &mut script);
    if *shell == Shell::Bash {
        script = one_separator(&script);
    }
    io::stdout().lock().write_all(&script).context(NOT_WRITTEN)?;
    Ok(Status::Done)
}

/// The script for bash has states `argocd__jobs__…` and arms `argocd__subcmd__jobs__…`, so that nothing is completed after a
/// subcommand of a program with a dash in its name (clap-rs/clap#6421).
fn one_separator(script: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(script).replace("argocd__subcmd__jobs", "argocd__jobs").into_bytes()
}

/// The command line with the values of the parameters. The program itself parses them where it parses the values of all layers, so that a
/// wrong one gets the same message everywhere.
pub(super) fn with_values(command: Command) -> Command {
    flagged()
        .fold(command, |command, parameter| {
            let known: &[&str] = match parameter.value_type {
                ValueType::Choice(known) | ValueType::CommaList(known) => known,
                ValueType::Switch => &["true", "false"],
                _ => return command,
            };
            command.mut_subcommands(|subcommand| {
                if subcommand.get_arguments().all(|arg| arg.get_id() != parameter.name) {
                    return subcommand;
                }
                subcommand.mut_arg(parameter.name, |arg| arg.value_parser(PossibleValuesParser::new(known)))
            })
        })
        .mut_subcommand("explain", |command| {
            command.mut_arg(super::explain::NAME, |arg| {
                arg.value_parser(PossibleValuesParser::new(RULES.iter().map(|rule| rule.id)))
            })
        })
}
