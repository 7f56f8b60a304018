//! The help: flags under headings, a short form for a first look, and what is at its end.

use clap::{Arg, ArgAction, Command};

/// The heading of flags about the chart.
pub(super) const HELM: &str = "Helm";
/// The heading of flags about what is printed.
const OUTPUT: &str = "Output";
/// The heading of flags about another version.
const COMPARE: &str = "Compare";
/// The heading of all other flags. Not clap's own `Options`, which comes first: this one is where its first flag is, at the end.
const OPTIONS: &str = "Options";

/// Flags with a heading of their own: the flags that read two versions, and the flags that every subcommand has.
const HEADINGS: [(&str, &str); 4] =
    [("base", COMPARE), ("exit-code", COMPARE), ("set", OPTIONS), ("application-parameters", OPTIONS)];

/// The widest help, in columns: longer lines are hard to read.
const WIDEST: usize = 100;

/// The exit status of a subcommand that can only work or fail.
pub(super) const EXIT_STATUS: &str = "Exit status: 0 success, 2 error.";

/// Where else parameters are set.
const PARAMETERS: &str = "Parameters such as --strategy can also be set in .argocd-jobs.yaml, as ARGOCD_JOBS_* environment variables, in the \
     Application, and as argocd-jobs/* annotations of a Job.";

/// The end of a help: examples, each with what it is for and its command line, then `more`.
pub(super) fn examples(examples: &[(&str, &str)], more: &str) -> String {
    let lines: Vec<String> = examples.iter().map(|(what, line)| format!("  {what}:\n    {line}\n")).collect();
    format!("Examples:\n{}\n{more}", lines.concat())
}

/// The whole program's help: subcommands are listed by clap.
pub(super) fn of_program(command: Command) -> Command {
    command.max_term_width(WIDEST).after_help(examples(
        &[
            ("Find what will go wrong with the Jobs of a repository", "argocd-jobs check ."),
            ("See which Jobs a pull request will run", "argocd-jobs preview . --base origin/main"),
            ("Read why a finding matters and how to fix it", "argocd-jobs explain immutable-fields"),
        ],
        "`argocd-jobs COMMAND -h` shows the most important flags of a command, `--help` all of them.",
    ))
}

/// A subcommand with its flags under headings, and `-h` and `--help` at their end.
pub(super) fn of_subcommand(command: Command) -> Command {
    let has_parameters = command.get_arguments().any(|arg| arg.get_id() == "strategy");
    let main = if has_parameters { OUTPUT } else { OPTIONS };
    let name = command.get_name().to_owned();
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = command.disable_help_flag(true).mut_args(|arg| {
        if arg.is_positional() || arg.get_help_heading().is_some() {
            return arg;
        }
        let own = HEADINGS.iter().find(|(id, _)| arg.get_id() == *id).map_or(main, |(_, heading)| heading);
        arg.help_heading(own)
    });
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help_heading(OPTIONS);
    if !has_parameters {
        return command.arg(help.help("Print help"));
    }
    let help =
        help.help("Print this summary; --help shows all flags").long_help("Print all flags; -h prints a summary");
    command
        .arg(help)
        .after_long_help(format!("{own}\n\n{PARAMETERS}"))
        .after_help(format!("{own}\n\n{PARAMETERS}\n\nThis is a summary; `argocd-jobs {name} --help` shows all flags."))
}

#[cfg(test)]
mod tests {
    use crate::cli::{SUBCOMMANDS, command};

    /// The command lines of the program in a help.
    fn lines(help: &str) -> Vec<&str> {
        let block = help.split("Examples:\n").nth(1).unwrap_or("");
        block.lines().filter(|line| line.starts_with("    ") && line.contains("argocd-jobs ")).collect()
    }

    /// The arguments after the name of the program, as a shell would split them.
    fn arguments(line: &str) -> Vec<String> {
        let after = line.split_once("argocd-jobs ").unwrap().1;
        let own = after.split([')', '|', '>', '&']).next().unwrap();
        std::iter::once("argocd-jobs").chain(own.split_whitespace()).map(str::to_owned).collect()
    }

    #[test]
    fn every_example_is_a_command_line() {
        let mut commands = vec![command()];
        commands.extend(SUBCOMMANDS.iter().map(|subcommand| (subcommand.command)()));
        for shown in commands {
            let help = shown.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines = lines(&help);
            for line in &lines {
                let parsed = command().try_get_matches_from(arguments(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
            assert!(lines.is_empty() || lines.len() >= 2, "{}: {lines:?}", shown.get_name());
        }
    }
}
