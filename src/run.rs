//! One function for each subcommand: read, plan, write.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use argocd_jobs::argocd::Application;
use argocd_jobs::output::stream;
use argocd_jobs::plan::{self, Empty, Output, Problem};
use argocd_jobs::settings;
use argocd_jobs::source::{self, Input};
use clap::ArgMatches;

use crate::cli;

/// Problems that are told at most; a broken tree has thousands, and the UI one line for each.
const MAX_PROBLEMS: usize = 10;

/// The program's environment as it was at the start.
pub(crate) struct Environment(pub(crate) BTreeMap<String, String>);

impl Environment {
    /// A variable that is set and not empty: Argo CD passes what it does not know as empty.
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
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
}

/// `argocd-jobs generate`
pub(crate) fn generate(matches: &ArgMatches, environment: &Environment) -> Result<()> {
    let settings = cli::settings(matches).map_err(told_setting)?;
    let application = environment.application();
    let request = source::Request {
        source: cli::source_kind(matches).map_err(told_setting)?,
        input: input(matches)?,
        recurse: cli::recurse(matches),
        include: matches.get_one::<String>("include").cloned(),
        exclude: matches.get_one::<String>("exclude").cloned(),
        source_path: application.source_path.clone(),
    };
    let manifests = source::read(request)?;
    let empty = if matches.get_flag("allow-empty") { Empty::Allowed } else { Empty::Refused };
    let output = Output { empty, ..Output::default() };
    let request =
        plan::Request { manifests: &manifests, settings: &settings, application: &application, output: &output };
    let plan = plan::plan(&request).map_err(|problems| told(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    stream::write(&manifests, &plan, &mut out).and_then(|()| out.flush()).context("cannot write to standard output")
}

fn input(matches: &ArgMatches) -> Result<Input> {
    let dir = matches.get_one::<String>("DIR").map_or(".", String::as_str);
    if dir != "-" {
        return Ok(Input::Directory(PathBuf::from(dir)));
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(source::MAX_TOTAL_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    Ok(Input::StandardInput(bytes))
}

fn told_setting(error: settings::Error) -> anyhow::Error {
    let help = error.help().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    anyhow!("{error}{help}")
}

/// All problems as one error.
fn told(problems: &[Problem]) -> anyhow::Error {
    let mut lines: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > MAX_PROBLEMS {
        lines.push(format!("and {} more", problems.len() - MAX_PROBLEMS));
    }
    anyhow!(lines.join("\n"))
}
