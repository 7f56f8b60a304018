//! `argocd-jobs explain`

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use deployment::Environment;
use lint::{RULES, Rule};
use report::explain::{self, finding};
use text::Message;
use text::spelling::nearest;

use super::flags::{self, value};
use super::status::{Status, print_text};
use super::terminal;

/// The argument.
pub(super) const NAME: &str = "NAME";

/// The arguments of `explain`.
pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain a finding, or list all findings")
        .arg(Arg::new(NAME).help("The id of a finding, as `check` prints it. Without it, all are listed"))
        .arg(flags::color())
        .after_help(
            "Examples:\n  \
             List all findings by theme:\n    argocd-jobs explain\n  \
             Read about a finding, with a wrong and a right example:\n    argocd-jobs explain ttl-reruns\n\n\
             Exit status: 0 success, 2 error.",
        )
}

/// Prints one text, or the list.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let paint = terminal::paint(environment, value(matches, "color"));
    let text = match matches.get_one::<String>(NAME) {
        Some(name) => finding::text(Rule::find(name).ok_or_else(|| unknown(name))?, paint),
        None => explain::all(paint),
    };
    print_text(&text)?;
    Ok(Status::Done)
}

fn unknown(name: &str) -> anyhow::Error {
    let help = match nearest(name, RULES.iter().map(|rule| rule.id)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`argocd-jobs explain` lists all of them".to_owned(),
    };
    anyhow!(Message::new(format!("there is no finding `{name}`")).help(help))
}
