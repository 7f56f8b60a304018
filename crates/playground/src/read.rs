//! The versions that a request has.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use deployment::Environment;
use rewrite::manifest::Manifest;
use rewrite::settings::{CliParameter, Parameter, PluginUse, RawLayers, WithPlugin};
use rewrite::version::Version;
use source::Source;
use text::Origin;

use crate::request::{Base, Command, Request};

/// The manifests with their settings, and the version to compare with. Whether the plugin rewrites the Jobs is decided by that version if the
/// request does not say it, as in [`deployment::versions`].
pub(crate) fn read(request: &Request) -> Result<(Version, Option<Version>)> {
    let with_plugin = match (request.command, request.plugin) {
        (Command::Generate | Command::Diff, _) | (_, Some(true)) => WithPlugin::Yes,
        (_, Some(false)) => WithPlugin::No,
        (_, None) if asks_for_the_plugin(request) => WithPlugin::Yes,
        (_, None) => WithPlugin::IfConfigured,
    };
    let Some(Base { files, shown_as, .. }) = &request.base else {
        return Ok((version(&request.files, &request.shown_as, request, with_plugin)?, None));
    };
    let base = version(files, shown_as, request, with_plugin)?;
    let with_plugin = match base.layers.plugin() {
        PluginUse::Used => WithPlugin::Yes,
        _ => WithPlugin::No,
    };
    Ok((version(&request.files, &request.shown_as, request, with_plugin)?, Some(base)))
}

/// Whether a parameter for Jobs or the name of an Application is set, which have no effect without the plugin.
fn asks_for_the_plugin(request: &Request) -> bool {
    let is_about_jobs = |written: &str| Parameter::find(name(written)).is_some_and(Parameter::is_about_jobs);
    request.settings.iter().any(|(written, _)| is_about_jobs(written))
        || request.environment.iter().any(|(name, value)| name.starts_with("ARGOCD_APP_") && !value.is_empty())
}

/// The name of a parameter that is written as a flag or as a name.
fn name(written: &str) -> &str {
    written.strip_prefix("--").unwrap_or(written)
}

fn version(
    files: &BTreeMap<String, String>,
    shown_as: &str,
    request: &Request,
    with_plugin: WithPlugin,
) -> Result<Version> {
    let typed = |(written, value): &(String, String)| CliParameter {
        name: name(written).to_owned(),
        written: written.clone(),
        value: value.clone().into(),
    };
    let typed: Vec<CliParameter> = request.settings.iter().map(typed).collect();
    let source = match files.values().next() {
        Some(text) if request.is_stream => Source::stream(text.as_str()),
        _ => Source::files_shown_as(Some(Path::new(shown_as)), files.iter().map(|(path, text)| (path, text.as_str()))),
    };
    let application_parameters = RawLayers::application_parameters_in(&request.environment);
    let texts = RawLayers {
        environment: &request.environment,
        application_parameters: application_parameters.filter(|_| !request.is_stream),
        command_line: &typed,
        in_a_case: true,
        with_plugin,
        ..RawLayers::default()
    };
    let environment = Environment { variables: request.environment.clone(), ..Environment::default() };
    let mut version = source::read_version(source, &texts, environment.application())?;
    // A fix is offered for what can be written.
    let in_file = |manifest: Manifest| {
        let file = match &manifest.origin {
            Origin::File(path) => Some(path.to_path_buf()),
            _ => None,
        };
        manifest.in_file(file)
    };
    version.manifests = version.manifests.into_iter().map(in_file).collect();
    Ok(version)
}
