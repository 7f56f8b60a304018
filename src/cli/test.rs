//! `argocd-jobs test`

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use argocd_jobs::golden::{self, Request};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};

use super::environment::Environment;
use super::status::{Status, print, problems_error};

/// A case takes milliseconds; one that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("test")
        .about("Run golden-file tests: cases of manifests, each with the output that is expected")
        .long_about(
            "Run golden-file tests: cases of manifests, each with the output that is expected.\n\n\
             A case is a folder, at any depth below DIR:\n\
             \x20 in/           the manifests; the program runs here, as `argocd-jobs generate`\n\
             \x20 case          optional: lines `KEY=VALUE` for its environment; other arguments than `generate`; `< FILE`,\n\
             \x20               a file that is standard input, from this folder; comments behind `#`\n\
             \x20 stdout.yaml   what is printed, under any extension; missing means nothing\n\
             \x20 stderr.txt    the message; missing means none\n\
             \x20 status        the exit status; missing means 0",
        )
        .after_help("Exit status: 0 all as expected, 1 something differs, 2 could not do it.")
        .arg(
            Arg::new("DIR")
                .help("Where the cases are, at any depth")
                .value_hint(ValueHint::DirPath)
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("TEXT")
                .help("Run only the cases that have this text in their path below DIR")
                .allow_hyphen_values(true),
        )
        .arg(
            Arg::new("update")
                .long("update")
                .help("Write what comes out as what is expected")
                .action(ArgAction::SetTrue),
        )
}

/// Runs the cases and prints what differs.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let dir = matches.get_one::<PathBuf>("DIR").ok_or_else(|| anyhow!("no directory"))?;
    let program = env::current_exe().context("cannot find the program itself")?;
    let request = Request {
        dir,
        filter: matches.get_one::<String>("filter").map_or("", String::as_str),
        program: &program,
        tools: &environment.tools(),
        limit: LIMIT,
        update: matches.get_flag("update"),
        in_a_case: environment.in_a_case,
    };
    let report = golden::run(&request).map_err(|errors| problems_error(&errors))?;
    print(&report.to_string())?;
    Ok(if report.is_good() { Status::Done } else { Status::Found })
}
