//! `argocd-jobs explain`

use anyhow::{Result, anyhow};
use argocd_jobs::output::explain::{self, Unknown};
use argocd_jobs::text::Message;
use clap::{Arg, ArgMatches, Command};

use super::args;
use super::choice::value;
use super::environment::Environment;
use super::status::{Status, print};

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Print the long text of a finding or a strategy, or the list of them all")
        .arg(
            Arg::new("ID")
                .help("The id of a finding, as `check` prints it, or of a strategy; without one all are listed"),
        )
        .arg(args::color())
}

/// Prints one text, or the list.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let paint = environment.paint(value(matches, "color"));
    let text = match matches.get_one::<String>("ID") {
        Some(id) => explain::one(id, paint).map_err(|unknown| unknown_error(id, &unknown))?,
        None => explain::all(paint),
    };
    print(&text)?;
    Ok(Status::Done)
}

fn unknown_error(id: &str, unknown: &Unknown) -> anyhow::Error {
    let help = match &unknown.nearest {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`argocd-jobs explain` lists all of them".to_owned(),
    };
    anyhow!(Message::new(format!("no finding or strategy has the id `{id}`")).help(help))
}
