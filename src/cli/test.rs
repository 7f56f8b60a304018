//! `argocd-jobs test`

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use deployment::Environment;
use deployment::errors::problems_error;
use golden::Request;

use super::flags::{flag, switch};
use super::status::{Status, print_text};

/// A case takes milliseconds; one that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// What a case is.
const LONG_ABOUT: &str = "\
Run the tests of your manifests: golden files that say what is expected.

A case is a folder, at any depth below DIR:
  in/          the manifests; the command runs here. It can be a symlink to
               another folder of the repository
  case         the command, for example `preview --plugin --diff never`. Without this
               file it is `generate`
  stdout.txt   what the command prints, with any extension. Without this file
               it prints nothing
  stderr.txt   the error message. Without this file there is none
  status       the exit status. Without this file it is 0

The file `case` can also have lines `KEY=VALUE` above the command, which set
variables, a line `< FILE` for standard input, and comments that begin with `#`.
A command that is wrong on purpose has `! ` before it.";

/// The examples and the exit status.
const AFTER_HELP: &str = "\
Examples:
  Pin the decision, not the whole output: which Jobs run, when and as what:
    echo 'preview --plugin --diff never' > tests/migrate/case
    argocd-jobs test tests --update
  Run all cases, and list those that passed too:
    argocd-jobs test tests --verbose

Exit status: 0 all as expected, 1 a case differs, 2 error.";

/// The arguments of `test`.
pub(super) fn command() -> Command {
    let dir = Arg::new("DIR")
        .help("The directory with the cases, which can be at any depth below it")
        .value_hint(ValueHint::DirPath)
        .required(true)
        .value_parser(value_parser!(PathBuf));
    let filter = flag("filter", "TEXT")
        .help("Run only the cases that have this text in their path below DIR")
        .allow_hyphen_values(true);
    let update = switch("update").help("Write the actual output as the expected output");
    let verbose = switch("verbose").short('v').help("List the cases that are as expected too");
    Command::new("test")
        .about("Run the tests of your manifests: golden files that say what is expected")
        .long_about(LONG_ABOUT)
        .after_help(AFTER_HELP)
        .args([dir, filter, update, verbose])
}

/// Runs the cases and prints what differs.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let dir = matches.get_one::<PathBuf>("DIR").ok_or_else(|| anyhow!("no directory"))?;
    let program = env::current_exe().context("cannot find the argocd-jobs program")?;
    let request = Request {
        dir,
        filter: matches.get_one::<String>("filter").map_or("", String::as_str),
        program: &program,
        tools: &environment.tools(),
        limit: LIMIT,
        update: matches.get_flag("update"),
        in_a_case: environment.in_a_case,
    };
    let report = golden::run(&request).map_err(|error| problems_error(&[error]))?;
    print_text(&report.text(matches.get_flag("verbose")))?;
    let errors = report.errors();
    if !errors.is_empty() {
        return Err(problems_error(&errors));
    }
    Ok(if report.is_good() { Status::Done } else { Status::Found })
}
