//! One function for each subcommand: read, plan, write.

mod base;
mod check;
mod explain;
mod paths;
mod preview;
mod progress;
mod test;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use argocd_jobs::argocd::Application;
use argocd_jobs::finding;
use argocd_jobs::manifest::Manifest;
use argocd_jobs::output::stream;
use argocd_jobs::plan;
use argocd_jobs::plugin;
use argocd_jobs::settings::{self, ApplicationSettings, Layers, Texts, Typed};
use argocd_jobs::source::{self, Input, Tools};
use argocd_jobs::text::Message;
use clap::ArgMatches;
use clap_complete::Shell;

use crate::cli;

use paths::{From, put_before};

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

    fn source_request(&self, input: Input, settings: &ApplicationSettings) -> source::Request {
        source::Request {
            input,
            source: settings.source,
            recurse: settings.recurse,
            include: settings.include.clone(),
            exclude: settings.exclude.clone(),
            source_path: self.path_in_repository(),
            tools: self.tools(),
        }
    }

    /// Reads all layers of settings above the Jobs, with the config file of `dir` when the manifests come from one.
    fn layers(&self, dir: Option<&Path>, parameters: ApplicationParameters, typed: &[Typed]) -> Result<Layers> {
        let source_path = self.path_in_repository();
        let config_file = match dir {
            Some(dir) => source::config_file(dir, source_path.as_deref()).map_err(self.placed(dir))?,
            None => None,
        };
        let application_parameters = match parameters {
            ApplicationParameters::Read => Texts::application_parameters_in(&self.variables),
            ApplicationParameters::Leave => None,
        };
        let config_file = config_file.as_deref();
        let texts = Texts { environment: &self.variables, config_file, application_parameters, command_line: typed };
        Layers::read(&texts).map_err(|error| self.told_setting(error, dir))
    }

    /// An error about a setting; one in the config file of `dir` with the path from where the user stands.
    fn told_setting(&self, error: settings::Error, dir: Option<&Path>) -> anyhow::Error {
        match dir.filter(|_| error.by.place().is_some()) {
            Some(dir) => {
                let told = told_setting(error).to_string();
                anyhow!("{}", self.prefix(dir, From::WorkingDirectory).join(told).display())
            }
            None => told_setting(error),
        }
    }
}

/// Whether the Application's parameters are for this program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApplicationParameters {
    Read,
    Leave,
}

/// How a subcommand ended that could do what it was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// And that is all.
    Done,
    /// And it found something that the user wants to be told by the exit status.
    Found,
}

/// What is planned, with the settings that hold for it.
struct Loaded {
    layers: Layers,
    settings: ApplicationSettings,
    application: Application,
    manifests: Vec<Manifest>,
}

impl Loaded {
    /// Reads the settings of all layers and the manifests that the command line names.
    fn read(matches: &ArgMatches, environment: &Environment) -> Result<Self> {
        let dir = dir(matches);
        // Behind another plugin they are that plugin's.
        let parameters = if dir.is_some() || matches.get_flag("application-parameters") {
            ApplicationParameters::Read
        } else {
            ApplicationParameters::Leave
        };
        let typed = cli::typed(matches).map_err(told_setting)?;
        let layers = environment.layers(dir.as_deref(), parameters, &typed)?;
        let settings = layers.application();
        let application = environment.application();
        let manifests = match dir {
            Some(dir) => {
                let request = environment.source_request(Input::Directory(dir.clone()), &settings);
                source::read(request).map_err(environment.placed(&dir))?
            }
            None => source::read(environment.source_request(Input::StandardInput(standard_input()?), &settings))?,
        };
        Ok(Self { layers, settings, application, manifests })
    }

    /// Refuses ids of findings in the config file that do not exist.
    fn check_ids(&self) -> Result<()> {
        finding::ignore::check_ids(&self.layers).map_err(told_setting)
    }

    fn request(&self) -> plan::Request<'_> {
        plan::Request {
            manifests: &self.manifests,
            settings: &self.layers,
            application: &self.application,
            output: &self.settings.output,
        }
    }
}

/// `argocd-jobs generate`
pub(crate) fn generate(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let mut loaded = Loaded::read(matches, environment)?;
    if let Some(dir) = dir(matches) {
        put_before(&environment.prefix(&dir, From::WorkingDirectory), &mut loaded.manifests);
    }
    let plan = plan::plan(&loaded.request()).map_err(|problems| told(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    stream::write(&loaded.manifests, &plan, &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")?;
    Ok(Ended::Done)
}

/// `argocd-jobs parameters`
pub(crate) fn parameters(matches: &ArgMatches, environment: &Environment) -> Result<Ended> {
    let dir = matches.get_one::<PathBuf>("DIR").map(PathBuf::as_path);
    // What the Application sets is what the UI is about to change, so that it is no part of the announcement, and no error in it
    // keeps the UI from mending it.
    let layers = environment.layers(dir, ApplicationParameters::Leave, &[])?;
    print(&plugin::announcement(&layers.above_jobs()))
}

/// `argocd-jobs discover`
pub(crate) fn discover(matches: &ArgMatches) -> Result<Ended> {
    let dir = matches.get_one::<PathBuf>("DIR").map_or(Path::new("."), PathBuf::as_path);
    source::marker(dir).map_or(Ok(Ended::Done), print)
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

/// The source directory; none for standard input.
fn dir(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one::<String>("DIR").filter(|dir| *dir != "-").map(PathBuf::from)
}

fn standard_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(source::MAX_TOTAL_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    Ok(bytes)
}

fn told_setting(error: settings::Error) -> anyhow::Error {
    anyhow!(Message { text: error.to_string(), help: error.help() })
}

/// All problems as one error.
fn told(problems: &[impl Display]) -> anyhow::Error {
    let mut lines: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > MAX_PROBLEMS {
        lines.push(format!("and {} more", problems.len() - MAX_PROBLEMS));
    }
    anyhow!(lines.join("\n"))
}
