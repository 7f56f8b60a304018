//! Collects the changes of one Job. Values that are already as wanted are not changed.

use goyaml::{Change, Path, Value, path};
use kube_jobs::argocd::{self, HookDeletePolicy};
use kube_jobs::kubernetes::{Job, name};

use super::{Converts, InputName, NAME};

/// The changes of a Job, in the order in which the strategy makes them.
pub(super) struct Draft<'j> {
    job: &'j Job,
    changes: Vec<Change>,
}

impl<'j> Draft<'j> {
    pub(super) fn new(job: &'j Job) -> Self {
        Self { job, changes: Vec::new() }
    }

    pub(super) fn job(&self) -> &'j Job {
        self.job
    }

    pub(super) fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// The Job's value with the changes so far.
    pub(super) fn value(&self) -> Value {
        let mut value = self.job.value().clone();
        Change::apply_all(&self.changes, &mut value);
        value
    }

    /// Sets a value, unless the Job already has it.
    pub(super) fn set(&mut self, path: Path, value: Value) {
        if self.job.value().at_path(&path) != Some(&value) {
            self.changes.push(Change::set(path, value));
        }
    }

    /// Removes an entry, if the Job has it.
    pub(super) fn remove(&mut self, path: Path) {
        if self.job.value().at_path(&path).is_some() {
            self.changes.push(Change::remove(path));
        }
    }

    /// Removes a map if the removals of this draft have emptied it. A map that the user wrote as `{}` stays.
    pub(super) fn remove_emptied(&mut self, map: &Path) {
        let is_in_map = |change: &Change| change.split().is_some_and(|(parents, _)| parents == map.steps());
        let is_left_empty = || self.value().at_path(map).and_then(Value::as_map).is_some_and(|map| map.is_empty());
        if self.changes.iter().any(is_in_map) && is_left_empty() {
            self.changes.retain(|change| !is_in_map(change));
            self.remove(map.clone());
        }
    }

    pub(super) fn annotate(&mut self, key: &str, value: &str) {
        self.set(path!["metadata", "annotations", key], Value::String(value.into()));
    }

    /// Gives the Job a `metadata.name`, and removes `generateName`.
    pub(super) fn name(&mut self, new: &str) {
        self.rename("generateName", "name", new);
    }

    /// Gives the Job a `metadata.generateName`, and removes `name`.
    pub(super) fn generate_name(&mut self, new: &str) {
        self.rename("name", "generateName", new);
    }

    fn rename(&mut self, from: &'static str, to: &'static str, new: &str) {
        let has = |key: &str| self.job.value().at(&["metadata", key]).is_some();
        let value = Value::String(new.into());
        if has(from) && !has(to) {
            self.changes.push(Change::rename(path!["metadata", from], to, value));
        } else {
            self.set(path!["metadata", to], value);
            self.remove(path!["metadata", from]);
        }
    }

    /// Stores the input name in the annotation `argocd-jobs/name`, and in the label of that name if a label can hold some of it.
    pub(super) fn remember(&mut self, input: &InputName) {
        self.annotate(NAME, &input.name);
        let label = name::label_value(&input.name);
        if !label.is_empty() {
            self.set(path!["metadata", "labels", NAME], Value::String(label.into()));
        }
    }

    /// Sets the sync wave, unless Argo CD's annotation or Helm's weight already sets one.
    pub(super) fn wave(&mut self, wave: Option<i64>) {
        let has_one = [argocd::SYNC_WAVE, argocd::HELM_HOOK_WEIGHT].into_iter().any(|key| self.number(key).is_some());
        if let Some(wave) = wave.filter(|_| !has_one) {
            self.annotate(argocd::SYNC_WAVE, &wave.to_string());
        }
    }

    /// The text of an annotation. None if Argo CD does not read it as a number.
    fn number(&self, key: &str) -> Option<&'j str> {
        self.job.annotation(key).filter(|value| value.parse::<i64>().is_ok())
    }

    /// Adds an item to an annotation that is a comma-separated list.
    pub(super) fn add_item(&mut self, annotation: &str, item: &str) {
        let mut items = self.job.annotation(annotation).map(argocd::comma_list).unwrap_or_default();
        if !items.contains(&item) {
            items.push(item);
            self.annotate(annotation, &items.join(","));
        }
    }

    /// Removes items from the sync options of the Job and adds others. The remaining items keep their order.
    pub(super) fn sync_options(&mut self, remove: &[&str], add: &[&str]) {
        let found = self.job.annotation(argocd::SYNC_OPTIONS);
        let before = found.map(argocd::comma_list).unwrap_or_default();
        let mut after: Vec<&str> = before.iter().copied().filter(|item| !remove.contains(item)).collect();
        after.extend(add.iter().filter(|item| !before.contains(item)));
        if after == before {
            return;
        }
        if after.is_empty() {
            self.remove(path!["metadata", "annotations", argocd::SYNC_OPTIONS]);
        } else {
            self.annotate(argocd::SYNC_OPTIONS, &after.join(","));
        }
    }

    /// Adds delete policies to those in Argo CD's annotation.
    pub(super) fn delete_policies(&mut self, add: &[HookDeletePolicy]) {
        let found = self.job.annotation(argocd::HOOK_DELETE_POLICY);
        let before = found.map(argocd::comma_list).unwrap_or_default();
        let mut after = before.clone();
        for policy in add.iter().map(|policy| policy.as_str()) {
            if !after.contains(&policy) {
                after.push(policy);
            }
        }
        if after != before {
            self.annotate(argocd::HOOK_DELETE_POLICY, &after.join(","));
        }
    }

    /// Removes Helm's hook annotations from a Job that is converted. Helm's weight becomes Argo CD's wave if there is none, because Argo CD reads the
    /// weight as a wave on any object (`gitops-engine/pkg/sync/syncwaves/waves.go`).
    pub(super) fn remove_helm_hook(&mut self, converts: Converts) {
        if converts == Converts::No {
            return;
        }
        if let (None, Some(weight)) = (self.number(argocd::SYNC_WAVE), self.number(argocd::HELM_HOOK_WEIGHT)) {
            self.annotate(argocd::SYNC_WAVE, weight);
        }
        let keys = self.job.annotations().into_iter().flat_map(|annotations| annotations.keys());
        for key in keys.filter(|key| key.starts_with(argocd::HELM_HOOK_PREFIX)) {
            self.changes.push(Change::remove(path!["metadata", "annotations", key]));
        }
    }

    /// Removes all hook annotations from a Job that is converted into an ordinary Job.
    pub(super) fn remove_hook(&mut self, converts: Converts) {
        self.remove_helm_hook(converts);
        if converts == Converts::Yes {
            self.remove(path!["metadata", "annotations", argocd::HOOK]);
            self.remove(path!["metadata", "annotations", argocd::HOOK_DELETE_POLICY]);
        }
    }
}
