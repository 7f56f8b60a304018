//! What a strategy is told: the settings for one Job with the defaults filled in.

use std::sync::Arc;

use super::parameter::Id;
use super::rule::written_name;
use super::value::Value;
use super::{SetBy, Setting, Settings};
use crate::kubernetes::Job;
use crate::strategy::{Asked, AskedBy, KeepName, Options, Prune, Wanted};

impl Settings {
    /// Fills in the defaults for `job`, which goes into `namespace`.
    pub(super) fn options(&self, job: &Job, namespace: &str) -> Options {
        let number = |id| match self.value(id) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        let base_name = self.text(Id::BaseName);
        Options {
            strategy: self
                .asked(Id::Strategy, |value| match value {
                    Value::Strategy(wanted) => Some(*wanted),
                    _ => None,
                })
                .unwrap_or(Asked { value: Wanted::Auto, by: AskedBy::Layer }),
            hook: self.asked(Id::Hook, |value| match value {
                Value::Phases(phases) => Some(phases.clone()),
                _ => None,
            }),
            keep_name: self.choose(Id::KeepName, KeepName::Yes, KeepName::No),
            delete_policy: self.asked(Id::DeletePolicy, |value| match value {
                Value::DeletePolicies(policies) => Some(policies.clone()),
                _ => None,
            }),
            ttl: self.asked(Id::Ttl, |value| match value {
                Value::Number(seconds) => Some(*seconds),
                _ => None,
            }),
            rerun: self.text(Id::Rerun).unwrap_or_default(),
            references: String::new(),
            wave: number(Id::Wave),
            deadline: number(Id::Deadline),
            prune: match self.value(Id::Prune) {
                Some(Value::Prune(prune)) => *prune,
                _ => Prune::default(),
            },
            strip_template_labels: match self.value(Id::StripTemplateLabels) {
                Some(Value::Items(labels)) => Arc::clone(&labels.set),
                _ => Arc::default(),
            },
            baseline: self.baseline(job, namespace, base_name.as_deref()),
            base_name,
        }
    }

    fn asked<T>(&self, id: Id, read: impl Fn(&Value) -> Option<T>) -> Option<Asked<T>> {
        let Setting { value, by } = &**self.get(id)?;
        let by = if matches!(by, SetBy::Annotation(_)) { AskedBy::Job } else { AskedBy::Layer };
        Some(Asked { value: read(value)?, by })
    }

    /// The hash of the Job itself, or the one in the map: by base name before the written name, with the namespace before without.
    fn baseline(&self, job: &Job, namespace: &str, base_name: Option<&str>) -> Option<String> {
        let hashes = match self.value(Id::Baseline)? {
            Value::Text(hash) => return Some(hash.clone()),
            Value::Hashes(hashes) => hashes,
            _ => return None,
        };
        let names = base_name.into_iter().chain([written_name(job)]);
        let found = names.clone().find_map(|name| hashes.get(&format!("{namespace}/{name}")));
        found.or_else(|| names.clone().find_map(|name| hashes.get(name))).cloned()
    }
}
