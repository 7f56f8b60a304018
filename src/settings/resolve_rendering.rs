//! Resolves settings into those of helm and kustomize, and says which of the two the parameters are for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::expand::says_nothing;
use super::parameters::Id;
use super::value::{AnySetting, Items, Slot, TextMap, text, value};
use super::words::Switch;
use super::{Error, ErrorKind, HelmSettings, KustomizeSettings, PlatformSettings, Provenance, Settings, SourceKind};

pub(super) fn helm(settings: &Settings) -> HelmSettings {
    HelmSettings {
        release_name: text(&settings.helm_release_name),
        namespace: text(&settings.helm_namespace),
        value_files: items(&settings.helm_value_files),
        ignore_missing_value_files: is_on(&settings.helm_ignore_missing_value_files),
        values: text(&settings.helm_values),
        parameters: map(&settings.helm_parameters),
        string_parameters: map(&settings.helm_string_parameters),
        file_parameters: map(&settings.helm_file_parameters),
        kube_version: text(&settings.helm_kube_version),
        api_versions: items(&settings.helm_api_versions),
        skip_crds: is_on(&settings.helm_skip_crds),
        skip_tests: is_on(&settings.helm_skip_tests),
        skip_schema_validation: is_on(&settings.helm_skip_schema_validation),
    }
}

pub(super) fn kustomize(settings: &Settings) -> KustomizeSettings {
    KustomizeSettings {
        name_prefix: text(&settings.kustomize_name_prefix),
        name_suffix: text(&settings.kustomize_name_suffix),
        namespace: text(&settings.kustomize_namespace),
        images: items(&settings.kustomize_images),
        replicas: value(&settings.kustomize_replicas).map(|counts| counts.written.clone()).unwrap_or_default(),
        common_labels: map(&settings.kustomize_common_labels),
        force_common_labels: is_on(&settings.kustomize_force_common_labels),
        label_without_selector: is_on(&settings.kustomize_label_without_selector),
        label_include_templates: is_on(&settings.kustomize_label_include_templates),
        common_annotations: map(&settings.kustomize_common_annotations),
        force_common_annotations: is_on(&settings.kustomize_force_common_annotations),
        common_annotations_envsubst: is_on(&settings.kustomize_common_annotations_envsubst),
        patches: items(&settings.kustomize_patches),
        components: items(&settings.kustomize_components),
        ignore_missing_components: is_on(&settings.kustomize_ignore_missing_components),
        kube_version: text(&settings.kustomize_kube_version),
        api_versions: items(&settings.kustomize_api_versions),
        version: text(&settings.kustomize_version),
    }
}

pub(super) fn platform(settings: &Settings) -> PlatformSettings {
    let default = PlatformSettings::default();
    // Parsing lets no negative number through.
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

fn is_on(slot: &Slot<Switch>) -> bool {
    value(slot) == Some(&Switch::On)
}

impl Settings {
    /// The tool that parameters of the Application are for, and where the first such parameter comes from. What the platform owner sets for
    /// all Applications says nothing about one of them.
    pub(super) fn tool_of_parameters(&self) -> Option<(SourceKind, Provenance)> {
        self.tools_of_parameters().next()
    }

    fn tools_of_parameters(&self) -> impl Iterator<Item = (SourceKind, Provenance)> {
        let is_for_one = |by: &Provenance| !matches!(by, Provenance::Sidecar(_) | Provenance::Locked(_));
        // The UI sends back what it was shown: what says nothing decides nothing, but for a block, which may be empty.
        let says = |id: Id, setting: &AnySetting| {
            matches!(id, Id::Helm | Id::Kustomize) || !says_nothing(&setting.value.display())
        };
        let of_the_application = self.iter().filter(move |(id, setting)| is_for_one(&setting.by) && says(*id, setting));
        of_the_application.filter_map(|(id, setting)| Some((id.parameter().tool()?, setting.by.clone())))
    }

    /// An error when parameters are for another tool than the rest, or when credentials could be read by everybody.
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
