#![doc = include_str!("../README.md")]
//!
//! `case.rs` finds and reads the cases, `line.rs` parses their `case` files, `expected.rs` compares and writes
//! outputs, `broken_case.rs` distinguishes a broken case from one that expects a refusal, `report.rs`
//! prints the result. docs/test.md describes the format of a case; the program's own tests use it, too.
//!
//! In CI a pull request can change the cases. So a case can only set variables that start no program and open no file
//! ([`settings::is_for_cases`](rewrite::settings::is_for_cases)), and its arguments must stay in the repository
//! (`confine.rs`).

mod broken_case;
pub mod case;
mod confine;
mod error;
mod expected;
mod line;
mod report;
mod root;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use checkout::Tools;
use confined::{Command, Output};
use system::{PathText, threads};
use text::{Message, visible};

pub use broken_case::{BROKEN, JUDGED, Mistake, ON_PURPOSE, Subject};
pub use case::Case;
use case::Found;
pub use error::Error;
use expected::Change;
pub use report::Report;
use report::Tested;

/// The flag, before the subcommand, that says that a case runs the program; its value is [`JUDGED`] or
/// [`ON_PURPOSE`]. With it `test` refuses cases that run `test` again, and `ARGOCD_APP_SOURCE_PATH` does not decide
/// where the repository begins.
pub const IN_A_CASE: &str = "in-a-case";

/// The maximum number of programs that run at once. More gain little, because each program has several threads.
const MAX_THREADS: usize = 8;

/// Which cases to run, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The directory that contains the cases, at any depth.
    pub dir: &'r Path,
    /// Only cases whose name contains this text run; empty for all cases.
    pub filter: &'r str,
    /// The absolute path of the program.
    pub program: &'r Path,
    /// The tools that the program may start.
    pub tools: &'r Tools,
    /// The time after which a program is killed.
    pub limit: Duration,
    /// Whether to write the output into the files with the expectations.
    pub update: bool,
    /// Whether these cases are themselves run by a case.
    pub in_a_case: bool,
}

/// The result of one case.
#[derive(Debug)]
pub(crate) enum Outcome {
    AsExpected,
    /// The differences as text.
    Differs(String),
    /// The case has no expectation yet, but the program printed something.
    New,
    Updated(Vec<Change>),
    /// The program took too long and was killed.
    Endless,
    /// The case has a mistake, or the program could not be started.
    Broken(Error),
}

/// Runs the cases. A case with a mistake in its files does not run, but the others do. Fails when there are no cases.
pub fn run(request: &Request<'_>) -> Result<Report, Error> {
    let root = case::root(request.dir)?;
    let found = case::find_all(request.dir, request.filter, &root)?;
    let path = request.tools.path_for(&root.path);
    let done = threads::in_order(found.len(), MAX_THREADS, || (), |(), index| run_one(&found[index], request, &path));
    let tested = |(found, outcome): (Found, Result<Outcome, Error>)| match (found.case, outcome) {
        (Err(error), _) | (Ok(_), Err(error)) => Tested { dir: found.dir, outcome: Outcome::Broken(error) },
        (Ok(_), Ok(outcome)) => Tested { dir: found.dir, outcome },
    };
    let cases = found.into_iter().zip(done).map(tested).collect();
    Ok(Report { cases, limit: request.limit })
}

/// Runs one case. Skips a case that could not be read: the caller reports its error.
fn run_one(found: &Found, request: &Request<'_>, path: &OsStr) -> Result<Outcome, Error> {
    let Ok(case) = &found.case else { return Ok(Outcome::AsExpected) };
    if let Some(refusal) = case.refusal(request.in_a_case) {
        return Err(refusal);
    }
    let expected = expected::read(case)?;
    let Some(output) = start(case, request, path)? else { return Ok(Outcome::Endless) };
    if let Some(error) = broken_case::of(case, &output) {
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

/// A path with invisible characters made visible, for one line of output.
fn shown(path: &Path) -> String {
    visible(&path.shown().to_string()).into_owned()
}

/// Runs the program with only the variables of the case and `PATH`; `None` when it took too long and was killed.
fn start(case: &Case, request: &Request<'_>, path: &OsStr) -> Result<Option<Output>, Error> {
    let open = |path: &PathBuf| File::open(path).map_err(|error| Error::unreadable(path, &error));
    let input = case.input.as_ref().map(open).transpose()?;
    let mut command = Command::new(request.program);
    command.env_clear().envs(case.environment.iter().map(|(key, value)| (key, value))).env("PATH", path);
    // The flag comes before the arguments: after them it could be read as the value of the last one.
    let mode = if case.on_purpose.is_some() { ON_PURPOSE } else { JUDGED };
    command.current_dir(case.working_dir()).arg(format!("--{IN_A_CASE}={mode}")).args(&case.arguments);
    confined::run(command, input, request.limit)
        .map_err(|error| Error::about(&case.dir, Message::new(format!("the program cannot be started: {error}"))))
}
