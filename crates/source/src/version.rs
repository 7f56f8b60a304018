//! Reads one version of an Application: its settings, then its manifests.

use std::fmt;

use kube_jobs::argocd::Application;
use rewrite::settings::{self, ConfigText, Layers, PluginUse, RawLayers, WithPlugin, is_annotated};
use rewrite::version::Version;

use super::{Error, Source};

/// Why a version cannot be read.
#[derive(Debug)]
pub enum VersionError {
    /// The files of the source cannot be read.
    Source(Error),
    /// A setting is invalid.
    Setting(settings::Error),
}

/// Reads the settings above the Jobs, including the config file of the source.
pub fn read_layers(source: &mut Source, texts: &RawLayers<'_>) -> Result<Layers, VersionError> {
    let config_file = source.config_file()?;
    Ok(Layers::read(&with_file(texts, config_file.as_ref()))?)
}

/// `texts` with the source's own config file, if it has one.
fn with_file<'t>(texts: &RawLayers<'t>, own: Option<&'t ConfigText>) -> RawLayers<'t> {
    RawLayers { config_file: own.or(texts.config_file), ..*texts }
}

/// Reads the settings, then the manifests of a source. Stops at the first error.
///
/// `texts` are the texts of the layers above the Jobs. If the source has its own config file, it takes the place of [`RawLayers::config_file`].
/// `application` are the facts that Argo CD passes to a plugin; none of them is required. With [`WithPlugin::IfConfigured`], an annotation of the plugin on an
/// object configures it, too.
pub fn read_version(
    mut source: Source,
    texts: &RawLayers<'_>,
    application: Application,
) -> Result<Version, VersionError> {
    let config_file = source.config_file()?;
    let texts = with_file(texts, config_file.as_ref());
    let mut layers = Layers::read(&texts)?;
    let shown_as = source.shown_as();
    let manifests = source.manifests(&layers.application())?;
    if texts.with_plugin == WithPlugin::IfConfigured
        && layers.plugin() != PluginUse::Used
        && manifests.iter().any(|manifest| is_annotated(&manifest.text))
    {
        layers = Layers::read(&RawLayers { with_plugin: WithPlugin::Yes, ..texts })?;
    }
    let settings = layers.application();
    Ok(Version { shown_as, manifests, layers, settings, application, further: Vec::new() })
}

impl From<Error> for VersionError {
    fn from(error: Error) -> Self {
        Self::Source(error)
    }
}

impl From<settings::Error> for VersionError {
    fn from(error: settings::Error) -> Self {
        Self::Setting(error)
    }
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Setting(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for VersionError {}
