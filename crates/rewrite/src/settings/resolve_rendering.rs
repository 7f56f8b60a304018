//! Turns settings into those for helm and kustomize, and decides which of the two tools they are for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::value::{Items, Slot, TextMap, text, value};
use super::{Error, ErrorKind, PlatformSettings, Provenance, Settings, SourceKind};

pub(super) fn platform(settings: &Settings) -> PlatformSettings {
    let default = PlatformSettings::default();
    // The parser of these parameters refuses negative numbers.
    let number = |slot: &Slot<i64>| value(slot).and_then(|found| u64::try_from(*found).ok());
    PlatformSettings {
        helm_dependencies: value(&settings.helm_dependencies).copied().unwrap_or_default(),
        values_file_schemes: value(&settings.helm_values_file_schemes)
            .map_or(default.values_file_schemes, |schemes| schemes.written.clone()),
        repository_config: text(&settings.helm_repository_config).map(PathBuf::from),
        registry_config: text(&settings.helm_registry_config).map(PathBuf::from),
        credentials_projects: items(&settings.helm_credentials_projects),
        build_options: text(&settings.kustomize_build_options).unwrap_or_default(),
        kustomize_versions: map(&settings.kustomize_versions),
        network: value(&settings.network).copied(),
        time: number(&settings.render_timeout).map_or(default.time, Duration::from_secs),
        memory: number(&settings.render_memory).map_or(default.memory, |mebibytes| mebibytes << 20),
    }
}

fn items(slot: &Slot<Items>) -> Vec<String> {
    value(slot).map(|items| items.written.clone()).unwrap_or_default()
}

fn map(slot: &Slot<TextMap>) -> BTreeMap<String, String> {
    value(slot).map(|map| map.0.clone()).unwrap_or_default()
}

impl Settings {
    /// The tool whose block the Application sets, and where. Settings of the platform owner do not count: they apply
    /// to all Applications, so they do not show which tool this one uses.
    pub(super) fn tool_of_parameters(&self) -> Option<(SourceKind, Provenance)> {
        self.tools_of_parameters().next()
    }

    fn tools_of_parameters(&self) -> impl Iterator<Item = (SourceKind, Provenance)> {
        let is_for_one = |by: &Provenance| !matches!(by, Provenance::Sidecar(_) | Provenance::Locked(_));
        let blocks = [(SourceKind::Helm, &self.helm), (SourceKind::Kustomize, &self.kustomize)].into_iter();
        blocks.filter_map(move |(tool, slot)| Some((tool, value(slot)?.names_the_source(is_for_one)?.clone())))
    }

    /// Fails when parameters are for another tool than the source, or when every Application could read mounted
    /// credentials.
    pub(super) fn check(&self) -> Result<(), Error> {
        let named = value(&self.source).copied().filter(|source| *source != SourceKind::Auto);
        let first = self.tool_of_parameters();
        for (tool, by) in self.tools_of_parameters() {
            let but = match (named, &first) {
                (Some(source), _) if source != tool => format!("`source` is `{}`", source.as_str()),
                (None, Some((other, other_by))) if *other != tool => {
                    format!("{other_by} is for {}", if *other == SourceKind::Helm { "Helm" } else { "kustomize" })
                }
                _ => continue,
            };
            return Err(Error::new(by, ErrorKind::OtherSource { tool, but }));
        }
        self.check_credentials()
    }

    fn check_credentials(&self) -> Result<(), Error> {
        let configs = [&self.helm_repository_config, &self.helm_registry_config];
        let Some(config) = configs.into_iter().flatten().next() else { return Ok(()) };
        let is_listed = value(&self.helm_credentials_projects).is_some_and(|projects| !projects.written.is_empty());
        if !is_listed {
            let what = "no AppProject may use the credentials";
            let help = "list the AppProjects that may use them in `ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS`";
            return Err(Error::new(config.by.clone(), ErrorKind::Credentials { what, help }));
        }
        let options = value(&self.kustomize_build_options).map_or("", String::as_str);
        if options.contains("LoadRestrictionsNone") {
            let what = "with `--load-restrictor LoadRestrictionsNone` every kustomization could read the credentials";
            let help = "remove the credentials or that option";
            return Err(Error::new(config.by.clone(), ErrorKind::Credentials { what, help }));
        }
        Ok(())
    }
}
