//! An object of any kind, and how Argo CD reads its annotations: hooks, delete policies, waves.

use goyaml::value::Map;
use goyaml::{TextAt, Value};

use super::Runs;
use crate::argocd::{self, Deletion, Fact, HookDeletePolicy, HookType, Phase, Version};

/// An object of any kind.
#[derive(Clone, Debug)]
pub struct Object {
    value: Value,
    /// Cached, because most objects have no annotations and most rules ask for one.
    has_annotations: bool,
}

/// The annotation that makes an object a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookSource {
    /// `argocd.argoproj.io/hook`
    Argocd,
    /// `helm.sh/hook`
    Helm,
}

impl Object {
    /// Wraps the value of an object, which must have a `kind`.
    pub fn new(value: Value) -> Self {
        let has_annotations = value.at(&["metadata", "annotations"]).is_some();
        Self { value, has_annotations }
    }

    /// The whole object as a value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Converts the object to its value.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// `kind`; empty if it is missing or not a text.
    pub fn kind(&self) -> &str {
        self.value.text_at(&["kind"]).unwrap_or("")
    }

    /// The API group. Empty for the core group and for an invalid `apiVersion`.
    pub fn group(&self) -> &str {
        self.value.text_at(&["apiVersion"]).and_then(group).unwrap_or("")
    }

    /// Whether [`is_job`] is true for the object.
    pub fn is_job(&self) -> bool {
        is_job(&self.value)
    }

    /// `metadata.name`. None if it is empty or not a text.
    pub fn name(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "name"]).filter(|name| !name.is_empty())
    }

    /// Whether the API server generates its name.
    pub fn is_generated(&self) -> bool {
        self.name().is_none() && self.generate_name().is_some()
    }

    /// `metadata.generateName`. None if it is empty or not a text.
    pub fn generate_name(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "generateName"]).filter(|name| !name.is_empty())
    }

    /// The name to show to people: the name, or else the `generateName` followed by `…`.
    pub fn shown_name(&self) -> Option<String> {
        self.name().map(ToOwned::to_owned).or_else(|| Some(format!("{}…", self.generate_name()?)))
    }

    /// Kind and name, for a message: ``Secret `database` ``.
    pub fn described(&self) -> String {
        format!("{} `{}`", self.kind(), self.name().unwrap_or(""))
    }

    /// `metadata.namespace`. None if it is empty or not a text.
    pub fn namespace(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "namespace"]).filter(|name| !name.is_empty())
    }

    /// `metadata.annotations`. None if there are none, or if they are not a map.
    pub fn annotations(&self) -> Option<&Map> {
        self.has_annotations.then(|| self.value.at(&["metadata", "annotations"])?.as_map()).flatten()
    }

    /// The text of an annotation. A null counts as an empty text (`NestedNullCoercingStringMap` in `k8s.io/apimachinery`).
    pub fn annotation(&self, key: &str) -> Option<&str> {
        match self.annotations()?.get(key)? {
            Value::Null => Some(""),
            value => value.as_text(),
        }
    }

    /// The items of an annotation that is a comma-separated list. Empty if it is missing.
    pub fn items(&self, key: &str) -> Vec<&str> {
        self.annotation(key).map(argocd::comma_list).unwrap_or_default()
    }

    /// Whether the annotation with sync options of the object contains `option`.
    pub fn has_sync_option(&self, option: &str) -> bool {
        self.items(argocd::SYNC_OPTIONS).contains(&option)
    }

    /// The hook types that Argo CD uses, and the annotation they come from: its own, or Helm's if its own annotation has no valid type
    /// (`gitops-engine/pkg/sync/hook/hook.go`).
    pub fn hook_types(&self) -> (Vec<HookType>, HookSource) {
        let own: Vec<HookType> = self.items(argocd::HOOK).into_iter().filter_map(HookType::parse).collect();
        if !own.is_empty() {
            return (own, HookSource::Argocd);
        }
        let mut types: Vec<HookType> = Vec::new();
        for found in self.items(argocd::HELM_HOOK).into_iter().filter_map(HookType::parse_helm) {
            if !types.contains(&found) {
                types.push(found);
            }
        }
        (types, HookSource::Helm)
    }

    /// Whether the object is a hook that the newest Argo CD runs when the Application is deleted. It can run at other times too.
    pub fn is_delete_hook(&self) -> bool {
        !self.deletions(Version::NEWEST).is_empty()
    }

    /// The times of a deletion of the Application for which this version of Argo CD takes the object as a hook (`isHookOfType` in
    /// `controller/hook.go`).
    pub fn deletions(&self, version: Version) -> Vec<Deletion> {
        let has = |key: &str, item: &str| match version.has(Fact::DeletionAmongTypes) {
            true => self.items(key).contains(&item),
            false => self.annotation(key) == Some(item),
        };
        let is_at = |deletion: &Deletion| {
            (*deletion == Deletion::Post || version.has(Fact::PreDelete))
                && (has(argocd::HOOK, deletion.as_str()) || has(argocd::HELM_HOOK, deletion.of_helm()))
        };
        Deletion::ALL.into_iter().filter(is_at).collect()
    }

    /// Whether this version of Argo CD leaves the hook out of syncs, although it has a type of a sync, because it also has one of the deletion.
    pub fn is_left_out_of_syncs(&self, version: Version) -> bool {
        // Both came in the same release.
        let may_be = version.has(Fact::PreDelete) && !version.has(Fact::DeletionBesideSync);
        may_be && !self.phases().is_empty() && !self.deletions(version).is_empty()
    }

    /// Whether Argo CD treats the object as a hook, even if it has no phase for it (`IsHook`).
    pub fn is_hook(&self) -> bool {
        match self.annotation(argocd::HOOK) {
            Some(_) => self.hook_types().0 != [HookType::Skip],
            None => self.annotation(argocd::HELM_HOOK).is_some_and(|value| value != "crd-install"),
        }
    }

    /// What an object of its kind does.
    pub fn runs(&self) -> Runs {
        Runs::of_kind(self.group(), self.kind())
    }

    /// Whether the object is a hook that may run something: its kind is not among those that only hold data or settings. A kind that is unknown here
    /// counts, and one that keeps running. A hook for `helm test` does not count, because Argo CD never applies it.
    pub fn is_running_hook(&self) -> bool {
        let is_for_argocd =
            || self.annotation(argocd::HOOK).is_some() || !self.hook_types().0.is_empty() || self.is_delete_hook();
        self.is_hook() && self.runs() != Runs::Nothing && is_for_argocd()
    }

    /// Whether the object is a hook that only `helm test` runs. Argo CD never applies it.
    pub fn is_helm_test(&self) -> bool {
        let items = self.items(argocd::HELM_HOOK);
        let is_test = |item: &&str| ["test", "test-success", "test-failure"].contains(item);
        self.annotation(argocd::HOOK).is_none() && !items.is_empty() && items.iter().all(is_test)
    }

    /// Whether `Skip` is the only hook type. Such an object is not a hook, and is never applied.
    pub fn is_skipped(&self) -> bool {
        self.hook_types().0 == [HookType::Skip]
    }

    /// The sync phases in which Argo CD runs the object as a hook, in the order of the annotation. Empty for other objects.
    pub fn phases(&self) -> Vec<Phase> {
        let phase = |found: HookType| match found {
            HookType::Phase(phase) => Some(phase),
            HookType::Skip => None,
        };
        self.hook_types().0.into_iter().filter_map(phase).collect()
    }

    /// The valid delete policies of both annotations, sorted (`gitops-engine/pkg/sync/hook/delete_policy.go`). If it is empty, Argo CD uses
    /// `BeforeHookCreation`.
    pub fn delete_policies(&self) -> Vec<HookDeletePolicy> {
        let own = self.items(argocd::HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse);
        let helm = self.items(argocd::HELM_HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse_helm);
        let mut policies: Vec<HookDeletePolicy> = own.chain(helm).collect();
        policies.sort_unstable();
        policies.dedup();
        policies
    }

    /// Whether a successful sync deletes the hook (`HookSucceeded`).
    pub fn is_deleted_after_success(&self) -> bool {
        self.delete_policies().contains(&HookDeletePolicy::HookSucceeded)
    }

    /// Whether the hook is deleted only when a sync fails, so that other syncs find it (`HookFailed` alone).
    pub fn is_deleted_only_after_failure(&self) -> bool {
        self.delete_policies() == [HookDeletePolicy::HookFailed] && self.name().is_some()
    }

    /// Whether every sync creates the hook, because the hook of the last sync is deleted first, or was deleted at its end if it succeeded. Otherwise
    /// a sync applies the hook to the existing object.
    pub fn is_always_created(&self) -> bool {
        self.is_new_each_time() || self.is_deleted_after_success()
    }

    /// Whether a sync creates the hook whatever the last sync left, because it deletes the old hook first or the new one has another name.
    pub fn is_new_each_time(&self) -> bool {
        let policies = self.delete_policies();
        policies.is_empty() || policies.contains(&HookDeletePolicy::BeforeHookCreation) || self.name().is_none()
    }

    /// The sync wave: `argocd.argoproj.io/sync-wave` if it is a whole number, else Helm's hook weight, else 0. The weight also counts for objects
    /// that are not hooks (`gitops-engine/pkg/sync/syncwaves/waves.go`).
    pub fn wave(&self) -> i64 {
        let number = |key| self.annotation(key).and_then(argocd::wave);
        number(argocd::SYNC_WAVE).or_else(|| number(argocd::HELM_HOOK_WEIGHT)).unwrap_or(0)
    }

    /// Whether the object has an owner (`metadata.ownerReferences`).
    pub fn is_owned(&self) -> bool {
        let owners = self.value.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
        owners.is_some_and(|owners| !owners.is_empty())
    }

    /// Whether the object is a strategic merge patch, with a `$patch` directive at any depth.
    pub fn is_patch(&self) -> bool {
        self.value.find(&|key, _| key == "$patch").is_some()
    }
}

/// Whether an object has the kind `Job` and an `apiVersion` of the group `batch`.
pub fn is_job(object: &impl TextAt) -> bool {
    object.text_at(&["kind"]) == Some("Job")
        && object.text_at(&["apiVersion"]).is_some_and(|version| group(version) == Some("batch"))
}

/// The API group of an `apiVersion` (`ParseGroupVersion`). Empty without a slash, which is the core group. None with two slashes.
fn group(api_version: &str) -> Option<&str> {
    match api_version.split_once('/') {
        None => Some(""),
        Some((_, rest)) if rest.contains('/') => None,
        Some((group, _)) => Some(group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::Job;

    fn with(annotations: &str) -> Job {
        Job::read(&format!("{{metadata: {{name: a, annotations: {{{annotations}}}}}}}")).unwrap()
    }

    #[test]
    fn hook_types_are_argo_cds() {
        let phases = |annotations: &str| with(annotations).phases();
        assert_eq!(phases("argocd.argoproj.io/hook: ' PreSync ,Garbage'"), [Phase::PreSync]);
        assert_eq!(phases("argocd.argoproj.io/hook: 'Skip,PreSync'"), [Phase::PreSync]);
        assert_eq!(phases("argocd.argoproj.io/hook: presync, helm.sh/hook: post-install"), [Phase::PostSync]);
        assert_eq!(phases("helm.sh/hook: 'pre-install,pre-upgrade'"), [Phase::PreSync]);
        assert!(!with("argocd.argoproj.io/hook: Skip").is_hook());
        assert!(with("argocd.argoproj.io/hook: ''").is_hook());
        assert!(with("helm.sh/hook: test").is_hook());
        assert!(!with("helm.sh/hook: crd-install").is_hook());
    }

    #[test]
    fn a_version_decides_which_types_of_the_deletion_count() {
        use Deletion::{Post, Pre};
        let versions = ["3.2", "3.3.2", "3.3.4", "3.3.5", "3.4.0", "3.6"].map(|text| Version::parse(text).unwrap());
        let of = |annotations: &str| {
            let hook = with(annotations);
            versions.map(|version| (hook.deletions(version), hook.is_left_out_of_syncs(version)))
        };
        let none = || (vec![], false);
        let mixed = of("helm.sh/hook: 'post-install, post-delete'");
        let post = |is_left_out| (vec![Post], is_left_out);
        assert_eq!(mixed, [none(), none(), post(true), post(false), post(false), post(false)]);
        let both = of("helm.sh/hook: 'pre-delete,post-delete'");
        let all = || (vec![Pre, Post], false);
        assert_eq!(both, [none(), none(), all(), all(), all(), all()]);
        let pre = || (vec![Pre], false);
        assert_eq!(of("argocd.argoproj.io/hook: PreDelete"), [none(), pre(), pre(), pre(), pre(), pre()]);
        let two = of("argocd.argoproj.io/hook: PostSync, helm.sh/hook: post-delete");
        assert_eq!(two, [post(false), post(true), post(true), post(false), post(false), post(false)]);
    }

    #[test]
    fn delete_policies_of_both_annotations_add_up() {
        let job =
            with("argocd.argoproj.io/hook-delete-policy: HookFailed, helm.sh/hook-delete-policy: 'hook-succeeded,x'");
        assert_eq!(job.delete_policies(), [HookDeletePolicy::HookSucceeded, HookDeletePolicy::HookFailed]);
    }
}
