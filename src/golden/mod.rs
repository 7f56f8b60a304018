//! Golden-file tests: the program runs for every case, and its output is compared with the files of the case.
//!
//! `case.rs` finds and reads the cases, `line.rs` their `case` files; `expected.rs` compares and writes outputs, `report.rs` prints the
//! result. The format of a case is in docs/test.md; the program's own tests use it too.
//!
//! In CI a pull request can change the cases. So a case sets only variables that start no program and open no file
//! ([`settings::is_for_cases`](crate::settings::is_for_cases)), and its arguments stay in the repository (`confine.rs`).

pub mod case;
mod confine;
pub mod error;
mod expected;
mod line;
mod report;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use case::Case;
pub use error::Error;
pub use report::Report;

use expected::Change;

use crate::process::{self, Command, Output};
use crate::source::Tools;
use crate::threads;

/// The flag, before the subcommand, by which the program knows that a case runs it. Then `test` runs no case that runs `test` again, and
/// `ARGOCD_APP_SOURCE_PATH` does not decide where the repository begins.
pub const IN_A_CASE: &str = "in-a-case";

/// More programs at once than this gain little; each has threads of its own.
const MAX_THREADS: usize = 8;

/// Which cases to run, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// Where the cases are, at any depth.
    pub dir: &'r Path,
    /// A part of the names of the cases to run; empty for all.
    pub filter: &'r str,
    /// The program, as an absolute path.
    pub program: &'r Path,
    /// The programs that the program itself may start.
    pub tools: &'r Tools,
    /// The time after which a program is killed.
    pub limit: Duration,
    /// Whether the output is written as the expected output.
    pub update: bool,
    /// Whether a case runs these cases.
    pub in_a_case: bool,
}

/// The result of one case.
#[derive(Debug)]
pub(crate) enum Outcome {
    AsExpected,
    /// With the differences as text.
    Differs(String),
    Updated(Vec<Change>),
    /// The program was killed.
    Endless,
}

/// Runs the cases. Nothing runs when one of them has a mistake in its files.
pub fn run(request: &Request<'_>) -> Result<Report, Vec<Error>> {
    let cases = case::find(request.dir, request.filter)?;
    let refusals: Vec<Error> = cases.iter().filter_map(|case| case.refusal(request.in_a_case)).collect();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let path = request.tools.path_for(&case::root(request.dir).map_err(|error| vec![error])?);
    let mut outcomes = Vec::new();
    let mut errors = Vec::new();
    let done = threads::in_order(cases.len(), MAX_THREADS, || (), |(), index| run_one(&cases[index], request, &path));
    for (case, outcome) in cases.iter().zip(done) {
        match outcome {
            Ok(outcome) => outcomes.push((case.dir.clone(), outcome)),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(Report { outcomes, limit: request.limit }) } else { Err(errors) }
}

fn run_one(case: &Case, request: &Request<'_>, path: &OsStr) -> Result<Outcome, Error> {
    let expected = expected::read(case)?;
    let Some(output) = start(case, request, path)? else { return Ok(Outcome::Endless) };
    if request.update {
        let changes = expected.update(&output)?;
        return Ok(if changes.is_empty() { Outcome::AsExpected } else { Outcome::Updated(changes) });
    }
    Ok(expected.differences(&output).map_or(Outcome::AsExpected, Outcome::Differs))
}

/// Runs the program, with no environment but the case's and `path`; `None` when it took too long and was killed.
fn start(case: &Case, request: &Request<'_>, path: &OsStr) -> Result<Option<Output>, Error> {
    let open = |path: &PathBuf| File::open(path).map_err(|error| Error::Unreadable(path.clone(), error));
    let input = case.input.as_ref().map(open).transpose()?;
    let mut command = Command::new(request.program);
    command.env_clear().envs(case.environment.iter().map(|(key, value)| (key, value))).env("PATH", path);
    // Before the arguments: after them, the flag could be taken for the value of one.
    command.current_dir(case.working_dir()).arg(format!("--{IN_A_CASE}")).args(&case.arguments);
    process::run(command, input, request.limit).map_err(|error| Error::NotStarted(case.dir.clone(), error))
}
