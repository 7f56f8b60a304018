//! One function for each subcommand: read, plan, write.

mod check;
mod explain;
mod paths;
mod preview;
mod progress;
mod test;
mod version;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result, anyhow};
use argocd_jobs::argocd::Application;
use argocd_jobs::plugin;

use argocd_jobs::settings::{self, RawLayers};
use argocd_jobs::source::{Input, Source, Surroundings, Tools};
use argocd_jobs::version::read_layers;
use clap::ArgMatches;
use clap_complete::Shell;

use crate::cli;

use paths::RelativeTo;

pub(crate) use check::check;
pub(crate) use explain::explain;
pub(crate) use preview::preview;
pub(crate) use test::test;

/// Problems that are told at most; a broken tree has thousands, and the UI one line for each.
const MAX_PROBLEMS: usize = 10;

/// The program's environment as it was at the start.
pub(crate) struct Environment {
    /// The variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// True when `argocd-jobs test` started the program for a case, which then set the variables.
    pub(crate) in_a_case: bool,
}

impl Environment {
    /// A variable that is set and not empty: Argo CD passes what it does not know as empty.
    fn get(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    fn application(&self) -> Application {
        Application {
            name: self.get("ARGOCD_APP_NAME"),
            namespace: self.get("ARGOCD_APP_NAMESPACE"),
            repo_url: self.get("ARGOCD_APP_SOURCE_REPO_URL"),
            revision: self.get("ARGOCD_APP_REVISION"),
            source_path: self.get("ARGOCD_APP_SOURCE_PATH"),
        }
    }

    /// The Application's path in its repository, to find the root. Not from a case: it could make a folder far above the root.
    fn path_in_repository(&self) -> Option<String> {
        self.get("ARGOCD_APP_SOURCE_PATH").filter(|_| !self.in_a_case)
    }

    /// The programs on the caller's PATH.
    fn tools(&self) -> Tools {
        Tools::of(&self.variables)
    }
}

/// How a subcommand ended that could do what it was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// And that is all.
    Done,
    /// And it found something that the user wants to be told by the exit status.
    Found,
}

/// `argocd-jobs generate`
pub(crate) fn generate(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let version = version::read(matches, environment, RelativeTo::WorkingDirectory)?;
    let plan = version.plan().map_err(|problems| described(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    version.write(&plan, &mut out).and_then(|()| out.flush()).context("cannot write to standard output")?;
    Ok(Ended::Done)
}

/// `argocd-jobs parameters`
pub(crate) fn parameters(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let input = Input::Directory(version::directory(matches));
    let surroundings = environment.surroundings(&input, RelativeTo::WorkingDirectory);
    // The UI is about to change what the Application sets: that is not part of the announcement, and no error in it keeps the UI from
    // correcting it.
    let texts = RawLayers { environment: &environment.variables, ..RawLayers::default() };
    let layers = read_layers(&mut Source::open(input, &surroundings)?, &texts)?;
    print(&plugin::announcement(&layers.above_jobs()))
}

/// `argocd-jobs discover`
pub(crate) fn discover(matches: &ArgMatches) -> Result<Ended> {
    let mut source = Source::open(Input::Directory(version::directory(matches)), &Surroundings::default())?;
    source.marker().map_or(Ok(Ended::Done), print)
}

/// `argocd-jobs schema`
pub(crate) fn schema() -> Result<Ended> {
    print(&plugin::schema())
}

/// `argocd-jobs completions`
pub(crate) fn completions(matches: &ArgMatches) -> Result<Ended> {
    let Some(shell) = matches.get_one::<Shell>("SHELL") else { return Ok(Ended::Done) };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut cli::command_with_values(), "argocd-jobs", &mut script);
    if *shell == Shell::Bash {
        script = one_separator(&script);
    }
    io::stdout().lock().write_all(&script).context("cannot write to standard output")?;
    Ok(Ended::Done)
}

/// The script for bash has states `argocd__jobs__…` and arms `argocd__subcmd__jobs__…`, so that nothing is completed behind a
/// subcommand of a program with a dash in its name (clap-rs/clap#6421).
fn one_separator(script: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(script).replace("argocd__subcmd__jobs", "argocd__jobs").into_bytes()
}

fn print(line: &str) -> Result<Ended> {
    writeln!(io::stdout().lock(), "{line}").context("cannot write to standard output")?;
    Ok(Ended::Done)
}

fn described_setting(error: settings::Error) -> anyhow::Error {
    anyhow!(error.message())
}

/// All problems as one error.
fn described(problems: &[impl Display]) -> anyhow::Error {
    let mut lines: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > MAX_PROBLEMS {
        lines.push(format!("and {} more", problems.len() - MAX_PROBLEMS));
    }
    anyhow!(lines.join("\n"))
}
