//! The versions that a command line names: the manifests with their settings, and what `--base` compares them with.

use std::io;

use anyhow::{Result, anyhow};
use argocd_jobs::settings::RawLayers;
use argocd_jobs::source::{self, Input, Source, Surroundings};
use argocd_jobs::text::Message;
use argocd_jobs::version::{Error, Version};
use clap::ArgMatches;

use super::args;
use super::environment::Environment;
use super::paths::RelativeTo;

/// Reads the version that the command line names.
pub(super) fn read(matches: &ArgMatches, environment: &Environment, relative_to: RelativeTo) -> Result<Version> {
    let input = match args::dir(matches) {
        Some(dir) => Input::Directory(dir),
        None => Input::Stream(Box::new(io::stdin())),
    };
    // Behind another plugin the Application's parameters are that plugin's.
    let has_parameters = matches!(input, Input::Directory(_)) || matches.get_flag("application-parameters");
    Ok(open(input, has_parameters, matches, environment, relative_to)??)
}

/// Reads the version that `--base` names, with its own config file and otherwise the same settings; `None` without the flag.
pub(super) fn read_base(matches: &ArgMatches, environment: &Environment) -> Result<Option<(String, Version)>> {
    let Some(named) = matches.get_one::<String>("base") else { return Ok(None) };
    let Some(dir) = args::dir(matches) else {
        let message = Message::new("`--base` with `-`: standard input has no other version");
        return Err(anyhow!(message.help("name the directory instead of `-`")));
    };
    let input = source::base(named, &dir, &environment.tools())?;
    let is_revision = matches!(input, Input::Revision { .. });
    match open(input, true, matches, environment, RelativeTo::WorkingDirectory)? {
        Ok(version) => Ok(Some((named.clone(), version))),
        // The files have the paths of those in the directory.
        Err(error) if is_revision && !matches!(error, Error::Source(source::Error::Revision { .. })) => {
            let help = format!("it is so in `{named}`, the version to compare with");
            Err(anyhow!(Message::new(error.to_string()).help(help)))
        }
        Err(error) => Err(error.into()),
    }
}

fn open(
    input: Input,
    has_parameters: bool,
    matches: &ArgMatches,
    environment: &Environment,
    relative_to: RelativeTo,
) -> Result<Result<Version, Error>> {
    let typed = args::typed(matches)?;
    let parameters = RawLayers::application_parameters_in(&environment.variables).filter(|_| has_parameters);
    let texts = RawLayers {
        environment: &environment.variables,
        config_file: None,
        application_parameters: parameters,
        command_line: &typed,
        in_a_case: environment.in_a_case,
    };
    let surroundings = environment.surroundings(&input, relative_to);
    let source = Source::open(input, &surroundings).map_err(Error::from);
    Ok(source.and_then(|source| Version::read(source, &texts, environment.application())))
}

impl Environment {
    /// What a source has to know.
    pub(super) fn surroundings(&self, input: &Input, relative_to: RelativeTo) -> Surroundings {
        let shown_as = match input {
            Input::Directory(dir) | Input::Revision { dir, .. } => Some(self.shown_as(dir, relative_to)),
            Input::Stream(_) | Input::Files(_) => None,
        };
        Surroundings {
            shown_as,
            source_path: self.path_in_repository(),
            tools: self.tools(),
            rendering: self.rendering(),
        }
    }
}
