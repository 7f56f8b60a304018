//! Turns settings into the options of a Job and into the settings of the Application, and fills in the defaults.
//!
//! `application` destructures [`Settings`] without `..`: a new parameter does not compile until it is handled here.

use std::sync::Arc;

use super::value::{Baseline, Setting, Slot, text, value};
use super::words::Switch;
use super::{
    ApplicationSettings, Empty, HashReferences, HelmSettings, KustomizeSettings, Output, Provenance, Random, Recurse,
    Settings, SourceKind, Trigger, resolve_rendering,
};
use crate::kubernetes::Job;
use crate::strategy::{Choice, ChosenBy, KeepName, Options, StrategyChoice, manifest_name};

impl Settings {
    /// The options for `job`, which is in `namespace`.
    pub(super) fn options(&self, job: &Job, namespace: &str) -> Options {
        let Self {
            strategy,
            hook,
            keep_name,
            delete_policy,
            wave,
            ttl,
            rerun,
            baseline,
            base_name,
            prune,
            deadline,
            strip_template_labels,
            ..
        } = self;
        let base_name = text(base_name);
        Options {
            strategy: asked(strategy).unwrap_or(Choice { value: StrategyChoice::Auto, by: ChosenBy::Layer }),
            hook: asked(hook),
            keep_name: choose(keep_name, KeepName::Yes, KeepName::No),
            delete_policy: asked(delete_policy),
            ttl: asked(ttl),
            rerun: text(rerun).unwrap_or_default(),
            references: String::new(),
            wave: value(wave).copied(),
            deadline: value(deadline).copied(),
            prune: value(prune).copied().unwrap_or_default(),
            strip_template_labels: value(strip_template_labels)
                .map(|labels| Arc::clone(&labels.set))
                .unwrap_or_default(),
            baseline: value(baseline).and_then(|hashes| hash_of(hashes, job, namespace, base_name.as_deref())),
            base_name,
        }
    }

    /// The settings for the output as a whole.
    fn of_output(&self) -> Output {
        Output {
            empty: choose(&self.allow_empty, Empty::Allowed, Empty::Refused),
            random: choose(&self.allow_random, Random::Allowed, Random::Refused),
            trigger: choose(&self.trigger, Trigger::Yes, Trigger::No),
            trigger_name: text(&self.trigger_name),
            hash_references: choose(&self.hash_references, HashReferences::Yes, HashReferences::No),
            argocd_version: value(&self.argocd_version).copied().unwrap_or_default(),
        }
    }

    pub(super) fn application(&self) -> ApplicationSettings {
        let Self {
            trigger: _,
            trigger_name: _,
            hash_references: _,
            source,
            recurse,
            include,
            exclude,
            allow_empty: _,
            allow_random: _,
            argocd_version: _,
            helm,
            kustomize,
            // Parameters for one field; their values are in `helm` and `kustomize` already.
            helm_value_files: _,
            helm_values: _,
            helm_parameters: _,
            kustomize_images: _,
            // These belong to `PlatformSettings`.
            helm_dependencies: _,
            helm_values_file_schemes: _,
            helm_repository_config: _,
            helm_registry_config: _,
            helm_credentials_projects: _,
            kustomize_build_options: _,
            kustomize_versions: _,
            network: _,
            render_timeout: _,
            render_memory: _,
            // These are options of a Job: see `options`.
            strategy: _,
            hook: _,
            keep_name: _,
            delete_policy: _,
            wave: _,
            ttl: _,
            rerun: _,
            baseline: _,
            base_name: _,
            prune: _,
            deadline: _,
            strip_template_labels: _,
        } = self;
        let source = match value(source).copied().unwrap_or_default() {
            SourceKind::Auto => self.tool_of_parameters().map_or(SourceKind::Auto, |(tool, _)| tool),
            named => named,
        };
        ApplicationSettings {
            source,
            recurse: choose(recurse, Recurse::Yes, Recurse::No),
            include: text(include),
            exclude: text(exclude),
            helm: HelmSettings::of(helm),
            kustomize: KustomizeSettings::of(kustomize),
            platform: resolve_rendering::platform(self),
            output: self.of_output(),
            is_native: false,
        }
    }
}

/// `on` or `off`, as the switch says; the default of `T` when it is not set.
fn choose<T: Default>(slot: &Slot<Switch>, on: T, off: T) -> T {
    match value(slot) {
        Some(Switch::On) => on,
        Some(Switch::Off) => off,
        None => T::default(),
    }
}

/// The value, and whether an annotation of the Job itself sets it.
fn asked<T: Clone>(slot: &Slot<T>) -> Option<Choice<T>> {
    let Setting { value, by } = &**slot.as_ref()?;
    let by = if matches!(by, Provenance::Annotation(_)) { ChosenBy::Job } else { ChosenBy::Layer };
    Some(Choice { value: value.clone(), by })
}

/// The baseline hash of `job`: from its own annotation, or else from the map. There it is looked up by base name,
/// then by the name as written, both with the namespace first.
fn hash_of(baseline: &Baseline, job: &Job, namespace: &str, base_name: Option<&str>) -> Option<String> {
    let hashes = match baseline {
        Baseline::OfThisJob(hash) => return Some(hash.clone()),
        Baseline::ByName(hashes) => hashes,
    };
    let names = base_name.into_iter().chain([manifest_name(job).unwrap_or("")]);
    let found = names.clone().find_map(|name| hashes.get(&format!("{namespace}/{name}")));
    found.or_else(|| names.clone().find_map(|name| hashes.get(name))).cloned()
}
