//! Golden-file tests: the program runs for every case, and its output is compared with the files of the case.
//!
//! `case.rs` finds and reads the cases, `line.rs` their `case` files; `expected.rs` compares and writes outputs, `mistake.rs` tells a broken
//! case from one that expects a refusal, `report.rs` and `junit.rs` print the result. The format of a case is in docs/test.md; the program's own tests use it too.
//!
//! In CI a pull request can change the cases. So a case sets only variables that start no program and open no file
//! ([`settings::is_for_cases`](crate::settings::is_for_cases)), and its arguments stay in the repository (`confine.rs`).

pub mod case;
mod confine;
pub mod error;
mod expected;
pub mod junit;
mod line;
mod mistake;
mod report;
mod root;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use case::Case;
pub use error::Error;
pub use mistake::{BROKEN, JUDGED, Mistake, ON_PURPOSE, Subject};
pub use report::Report;

use case::Found;
use expected::Change;
use report::Tested;

use crate::process::{self, Command, Output};
use crate::source::Tools;
use crate::text::visible;
use crate::threads;

/// The flag, before the subcommand, by which the program knows that a case runs it: with the value [`JUDGED`] or [`ON_PURPOSE`]. Then `test` runs no case that runs `test` again, and
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
    /// Nothing is expected yet, and something was printed.
    New,
    Updated(Vec<Change>),
    /// The program was killed.
    Endless,
    /// The case has a mistake, or could not be run.
    Broken(Error),
}

/// Runs the cases. One with a mistake in its files is not run, and does not keep the others from being run. An error when there is none.
pub fn run(request: &Request<'_>) -> Result<Report, Error> {
    let root = case::root(request.dir)?;
    let found = case::find_all(request.dir, request.filter, &root)?;
    let path = request.tools.path_for(&root.path);
    let done = threads::in_order(found.len(), MAX_THREADS, || (), |(), index| run_one(&found[index], request, &path));
    let tested = |(found, outcome): (Found, Result<Outcome, Error>)| match (found.case, outcome) {
        (Err(error), _) | (Ok(_), Err(error)) => (found.dir, found.name, Outcome::Broken(error)),
        (Ok(_), Ok(outcome)) => (found.dir, found.name, outcome),
    };
    let cases = found.into_iter().zip(done).map(tested);
    let cases = cases.map(|(dir, name, outcome)| Tested { dir, name, outcome }).collect();
    Ok(Report { dir: request.dir.to_owned(), cases, limit: request.limit })
}

/// A case that was not read is as expected here: its own mistake is the outcome.
fn run_one(found: &Found, request: &Request<'_>, path: &OsStr) -> Result<Outcome, Error> {
    let Ok(case) = &found.case else { return Ok(Outcome::AsExpected) };
    if let Some(refusal) = case.refusal(request.in_a_case) {
        return Err(refusal);
    }
    let expected = expected::read(case)?;
    let Some(output) = start(case, request, path)? else { return Ok(Outcome::Endless) };
    if let Some(error) = mistake::of(case, &output) {
        return Err(error);
    }
    if request.update {
        let changes = expected.update(&output)?;
        return Ok(if changes.is_empty() { Outcome::AsExpected } else { Outcome::Updated(changes) });
    }
    Ok(if expected.is_met_by(&output) {
        Outcome::AsExpected
    } else if expected.is_empty() {
        Outcome::New
    } else {
        Outcome::Differs(expected.differences(&output))
    })
}

/// A path for one line of a terminal.
fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// Runs the program, with no environment but the case's and `path`; `None` when it took too long and was killed.
fn start(case: &Case, request: &Request<'_>, path: &OsStr) -> Result<Option<Output>, Error> {
    let open = |path: &PathBuf| File::open(path).map_err(|error| Error::Unreadable(path.clone(), error));
    let input = case.input.as_ref().map(open).transpose()?;
    let mut command = Command::new(request.program);
    command.env_clear().envs(case.environment.iter().map(|(key, value)| (key, value))).env("PATH", path);
    // Before the arguments: after them, the flag could be taken for the value of one.
    let mode = if case.on_purpose.is_some() { ON_PURPOSE } else { JUDGED };
    command.current_dir(case.working_dir()).arg(format!("--{IN_A_CASE}={mode}")).args(&case.arguments);
    process::run(command, input, request.limit).map_err(|error| Error::NotStarted(case.dir.clone(), error))
}
