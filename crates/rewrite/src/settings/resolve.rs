//! Turns settings into the options of a Job and into the settings of the Application, and fills in the defaults.

use std::sync::Arc;

use kube_jobs::kubernetes::Job;

use super::value::{Baseline, Setting, Slot, text, value};
use super::words::Switch;
use super::{
    ApplicationSettings, Empty, HashReferences, HelmSettings, Id, KustomizeSettings, Output, Provenance, Random,
    Recurse, Settings, SourceKind, Trigger, resolve_rendering,
};
use crate::strategy::{Choice, ChosenBy, KeepName, Options, Strategy, StrategyChoice, manifest_name};

impl Settings {
    /// The options for `job`, which is in `namespace`.
    pub(super) fn options(&self, job: &Job, namespace: &str) -> Options {
        let base_name = text(&self.base_name);
        Options {
            strategy: asked(&self.strategy).unwrap_or(Choice { value: StrategyChoice::Auto, by: ChosenBy::Layer }),
            hook: asked(&self.hook),
            keep_name: choose(&self.keep_name, KeepName::Yes, KeepName::No),
            delete_policy: asked(&self.delete_policy),
            ttl: asked(&self.ttl),
            rerun: text(&self.rerun).unwrap_or_default(),
            references: String::new(),
            wave: value(&self.wave).copied(),
            deadline: value(&self.deadline).copied(),
            prune: value(&self.prune).copied().unwrap_or_default(),
            strip_template_labels: value(&self.strip_template_labels)
                .map(|labels| Arc::clone(&labels.set))
                .unwrap_or_default(),
            baseline: value(&self.baseline).and_then(|hashes| hash_of(hashes, job, namespace, base_name.as_deref())),
            base_name,
            annotated: self.annotated(),
        }
    }

    /// The parameters that annotations of the Job itself set, with the strategies under which they have an effect; without `strategy` itself.
    fn annotated(&self) -> Vec<(&'static str, &'static [Strategy])> {
        let own = self.iter().filter(|(_, setting)| matches!(setting.by, Provenance::Annotation(_)));
        let with_strategies = own.map(|(id, _)| match id {
            // The name of a kept Job that findings speak of.
            Id::BaseName => {
                (id.parameter().name, &[Strategy::HashName, Strategy::Hook, Strategy::GenerateName, Strategy::Keep][..])
            }
            id => (id.parameter().name, id.strategies()),
        });
        with_strategies.filter(|(_, strategies)| !strategies.is_empty()).collect()
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

    /// The settings of the Application.
    pub(super) fn application(&self) -> ApplicationSettings {
        let source = match value(&self.source).copied().unwrap_or_default() {
            SourceKind::Auto => self.tool_of_parameters().map_or(SourceKind::Auto, |(tool, _)| tool),
            named => named,
        };
        ApplicationSettings {
            source,
            recurse: choose(&self.recurse, Recurse::Yes, Recurse::No),
            include: text(&self.include),
            exclude: text(&self.exclude),
            helm: HelmSettings::of(&self.helm),
            kustomize: KustomizeSettings::of(&self.kustomize),
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
