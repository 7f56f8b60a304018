//! The versions that a request has.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use deployment::typed_settings::TypedSettings;
use deployment::{Environment, Run};
use rewrite::manifest::Manifest;
use rewrite::settings::{CliParameter, RawLayers};
use rewrite::version::Version;
use source::Source;
use text::Origin;

use crate::request::{Base, Command, Request};

/// The manifests with their settings, and the version to compare with. Whether the plugin rewrites the Jobs is decided by that version if the
/// request does not say it, as in [`deployment::versions`].
pub(crate) fn read(request: &Request) -> Result<(Version, Option<Version>)> {
    let run = run(request);
    let Some(Base { files, shown_as, .. }) = &request.base else {
        return Ok((version(&request.files, &request.shown_as, request.is_stream, &run)?, None));
    };
    let base = version(files, shown_as, request.is_stream, &run)?;
    let run = run.decided(base.layers.plugin());
    Ok((version(&request.files, &request.shown_as, request.is_stream, &run)?, Some(base)))
}

/// What the command line would say.
fn run(request: &Request) -> Run {
    let typed = |(written, value): &(String, String)| CliParameter {
        name: written.strip_prefix("--").unwrap_or(written).to_owned(),
        written: written.clone(),
        value: value.clone().into(),
    };
    let parameters = request.settings.iter().map(typed).collect();
    Run {
        plugin: match request.command {
            Command::Generate | Command::Diff => Some(true),
            Command::Check | Command::Preview | Command::Choices => request.plugin,
        },
        settings: TypedSettings { parameters, ..TypedSettings::default() },
        environment: Environment { variables: request.environment.clone(), in_a_case: true, ..Environment::default() },
        ..Run::default()
    }
}

fn version(files: &BTreeMap<String, String>, shown_as: &str, is_stream: bool, run: &Run) -> Result<Version> {
    let source = match files.values().next() {
        Some(text) if is_stream => Source::stream(text.as_str()),
        _ => Source::files_shown_as(Some(Path::new(shown_as)), files.iter().map(|(path, text)| (path, text.as_str()))),
    };
    let layers = run.layers(&run.settings.parameters);
    let application_parameters = layers.application_parameters.filter(|_| !is_stream);
    let texts = RawLayers { application_parameters, ..layers };
    let mut version = source::read_version(source, &texts, run.environment.application())?;
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
