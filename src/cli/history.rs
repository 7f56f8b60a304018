//! `argocd-jobs history`

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command, ValueHint};
use deployment::{Environment, live_jobs};
use preview::History;
use report::preview::history;
use report::show::Show;

use super::flags::{self, choice, one_of, value};
use super::status::{Status, print_text};
use super::{help, terminal};

choice! {
    /// How the history is printed.
    Format { Text = "text", Json = "json" }
}

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("history")
        .about("List the runs of Jobs that a cluster still has: images, duration, result, and why earlier runs are missing")
        .arg(
            Arg::new("FILE")
                .help("What `kubectl get jobs -o json` prints; `-` reads standard input")
                .value_hint(ValueHint::FilePath)
                .required(true),
        )
        .arg(one_of::<Format>("format", "FORMAT", "text").help("Output format: `text` for people, `json` for programs"))
        .arg(flags::color())
        .after_help(help::examples(
            &[
                ("List the runs in a namespace", "kubectl get jobs -n shop -o json | argocd-jobs history -"),
                (
                    "List those of one Job with a hashed name",
                    "kubectl get jobs -n shop -l argocd-jobs/name=migrate -o json | argocd-jobs history -",
                ),
                (
                    "List those of all such Jobs of a cluster",
                    "kubectl get jobs -A -l argocd-jobs/name -o json | argocd-jobs history -",
                ),
            ],
            help::EXIT_STATUS,
        ))
}

/// Prints the runs.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let file = matches.get_one::<String>("FILE").ok_or_else(|| anyhow!("no file"))?;
    let cluster = live_jobs::read(file)?;
    let show = Show {
        paint: terminal::paint(environment, value(matches, "color")),
        width: terminal::width(environment),
        ..Show::default()
    };
    let found = History::of(&cluster);
    print_text(&match value(matches, "format") {
        Format::Text => history::text(&found, show),
        Format::Json => history::json(&found),
    })?;
    Ok(Status::Done)
}
