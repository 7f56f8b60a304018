//! Another version of the same source, for `--base`.

use anyhow::{Result, anyhow};
use argocd_jobs::settings::{Layers, Texts};
use argocd_jobs::source::{self, Input};
use clap::ArgMatches;

use super::paths::{From, put_before};
use super::{Environment, Loaded, dir, told_setting};
use crate::cli;

impl Loaded {
    /// Reads the version that `--base` names, with its own config file and otherwise the same settings; none without the flag.
    pub(super) fn read_base(matches: &ArgMatches, environment: &Environment) -> Result<Option<(String, Self)>> {
        let Some(named) = matches.get_one::<String>("base") else { return Ok(None) };
        let Some(dir) = dir(matches) else {
            return Err(anyhow!(
                "`--base` with `-`: standard input has no other version\nhelp: name the directory instead of `-`"
            ));
        };
        let input = source::base(named, &dir, &environment.tools())?;
        let base_dir = match &input {
            Input::Directory(dir) | Input::Revision { dir, .. } => Some(dir.clone()),
            Input::StandardInput(_) => None,
        };
        let base_dir = base_dir.as_deref();
        let is_revision = matches!(input, Input::Revision { .. });
        // The files have the paths of those that are there now.
        let told = |error: anyhow::Error| match is_revision {
            true => anyhow!("{error}\nhelp: it is so in `{named}`, the version to compare with"),
            false => error,
        };
        let placed = |error: source::Error| match (base_dir, error) {
            (_, error @ source::Error::Revision { .. }) => error.into(),
            (Some(dir), error) => told(environment.placed(dir)(error).into()),
            (None, error) => told(error.into()),
        };
        let typed = cli::typed(matches).map_err(told_setting)?;
        let source_path = environment.path_in_repository();
        let config_file = match &input {
            Input::Revision { dir, revision } => {
                source::config_file_at(dir, revision, &environment.tools()).map_err(placed)?
            }
            Input::Directory(dir) => source::config_file(dir, source_path.as_deref()).map_err(placed)?,
            Input::StandardInput(_) => None,
        };
        let texts = Texts {
            environment: &environment.variables,
            config_file: config_file.as_deref(),
            application_parameters: Texts::application_parameters_in(&environment.variables),
            command_line: &typed,
        };
        let layers = Layers::read(&texts).map_err(|error| told(environment.told_setting(error, base_dir)))?;
        let settings = layers.application();
        let application = environment.application();
        let prefix = base_dir.map(|dir| environment.prefix(dir, From::WorkingDirectory)).unwrap_or_default();
        let mut manifests = source::read(environment.source_request(input, &settings)).map_err(placed)?;
        put_before(&prefix, &mut manifests);
        Ok(Some((named.clone(), Self { layers, settings, application, manifests })))
    }
}
