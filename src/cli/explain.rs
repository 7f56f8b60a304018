//! `argocd-jobs explain`

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use deployment::Environment;
use report::explain::{self, Unknown};
use text::Message;

use super::flags::{self, value};
use super::status::{Status, print_text};
use super::terminal;

/// The argument.
pub(super) const NAME: &str = "NAME";

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain a finding, a strategy, a parameter or an annotation, or list them all")
        .arg(Arg::new(NAME).help(
            "The id of a finding, as `check` prints it, or the name of a strategy, a parameter or an annotation. Without it, all are listed",
        ))
        .arg(flags::color())
        .after_help(
            "Examples:\n  \
             List everything, findings by theme:\n    argocd-jobs explain\n  \
             Read about a finding, with a wrong and a right example:\n    argocd-jobs explain ttl-reruns\n  \
             Read what an annotation does to a Job under Argo CD:\n    argocd-jobs explain argocd.argoproj.io/hook\n\n\
             Exit status: 0 success, 2 error.",
        )
}

/// Prints one text, or the list.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let paint = terminal::paint(environment, value(matches, "color"));
    let text = match matches.get_one::<String>(NAME) {
        Some(name) => explain::one(name, paint).map_err(|unknown| unknown_error(name, &unknown))?,
        None => explain::all(paint),
    };
    print_text(&text)?;
    Ok(Status::Done)
}

fn unknown_error(name: &str, unknown: &Unknown) -> anyhow::Error {
    let names: Vec<String> = unknown.near.iter().map(|name| format!("`{name}`")).collect();
    let help = match names.split_last() {
        Some((only, [])) => format!("did you mean {only}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
        None => "`argocd-jobs explain` lists all of them".to_owned(),
    };
    let message = format!("there is no finding, strategy, parameter or annotation `{name}`");
    anyhow!(Message::new(message).help(help))
}
