//! A Job as Argo CD reads it, and what it makes of the Job's annotations.

use crate::argocd::{self, HookDeletePolicy, HookType, Phase};
use crate::yaml::Value;
use crate::yaml::value::Map;

/// The value of an object that is a `batch` Job.
#[derive(Clone, Debug)]
pub struct Job {
    value: Value,
}

/// Which annotation makes a Job a hook, if any does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookSource {
    /// `argocd.argoproj.io/hook`
    Argocd,
    /// `helm.sh/hook`
    Helm,
}

impl Job {
    /// Takes the value of an object that [`super::object::is_job`] says is a Job.
    pub fn new(value: Value) -> Self {
        Self { value }
    }

    /// The whole object.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// `metadata.name`, when it is a text and not empty.
    pub fn name(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "name"]).filter(|name| !name.is_empty())
    }

    /// `metadata.generateName`, when it is a text and not empty.
    pub fn generate_name(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "generateName"]).filter(|name| !name.is_empty())
    }

    /// `metadata.namespace`, when it is a text and not empty.
    pub fn namespace(&self) -> Option<&str> {
        self.value.text_at(&["metadata", "namespace"]).filter(|name| !name.is_empty())
    }

    /// The annotations.
    pub fn annotations(&self) -> Option<&Map> {
        self.value.at(&["metadata", "annotations"])?.as_map()
    }

    /// An annotation's text; null is read as the empty text (`NestedNullCoercingStringMap` in `k8s.io/apimachinery`).
    pub fn annotation(&self, key: &str) -> Option<&str> {
        match self.annotations()?.get(key)? {
            Value::Null => Some(""),
            value => value.as_text(),
        }
    }

    /// The items of an annotation that is a comma list.
    fn items(&self, key: &str) -> Vec<&str> {
        self.annotation(key).map(argocd::comma_list).unwrap_or_default()
    }

    /// True when the Job's own sync-options have this item.
    pub fn has_sync_option(&self, option: &str) -> bool {
        self.items(argocd::SYNC_OPTIONS).contains(&option)
    }

    /// The hook types that count: Argo CD's, or Helm's when none of Argo CD's is valid (`gitops-engine/pkg/sync/hook/hook.go`),
    /// and where they come from.
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

    /// True for a hook that runs when the Application is deleted, whatever else it is.
    pub fn is_delete_hook(&self) -> bool {
        self.items(argocd::HOOK).iter().any(|item| argocd::DELETE_HOOKS.contains(item))
            || self.items(argocd::HELM_HOOK).iter().any(|item| argocd::HELM_DELETE_HOOKS.contains(item))
    }

    /// True when Argo CD treats the Job as a hook, whether or not it has a phase for it (`IsHook`).
    pub fn is_hook(&self) -> bool {
        match self.annotation(argocd::HOOK) {
            Some(_) => self.hook_types().0 != [HookType::Skip],
            None => self.annotation(argocd::HELM_HOOK).is_some_and(|value| value != "crd-install"),
        }
    }

    /// The sync phases in which Argo CD runs the Job as a hook, in its own order; empty for what is no hook.
    pub fn phases(&self) -> Vec<Phase> {
        let phase = |found: HookType| match found {
            HookType::Phase(phase) => Some(phase),
            HookType::Skip => None,
        };
        self.hook_types().0.into_iter().filter_map(phase).collect()
    }

    /// The valid delete policies of both annotations together (`gitops-engine/pkg/sync/hook/delete_policy.go`); none means
    /// `BeforeHookCreation` to Argo CD.
    pub fn delete_policies(&self) -> Vec<HookDeletePolicy> {
        let own = self.items(argocd::HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse);
        let helm = self.items(argocd::HELM_HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse_helm);
        let mut policies: Vec<HookDeletePolicy> = own.chain(helm).collect();
        policies.sort_unstable();
        policies.dedup();
        policies
    }

    /// `spec.suspend: true`
    pub fn is_suspended(&self) -> bool {
        self.value.at(&["spec", "suspend"]) == Some(&Value::Bool(true))
    }

    /// `spec.manualSelector: true`
    pub fn has_manual_selector(&self) -> bool {
        self.value.at(&["spec", "manualSelector"]) == Some(&Value::Bool(true))
    }

    /// `spec.completions` of an Indexed Job.
    pub fn indexed_completions(&self) -> Option<i64> {
        match (self.value.text_at(&["spec", "completionMode"]), self.value.at(&["spec", "completions"])) {
            (Some("Indexed"), Some(Value::Int(completions))) => Some(*completions),
            _ => None,
        }
    }

    /// True when another object owns the Job.
    pub fn is_owned(&self) -> bool {
        let owners = self.value.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
        owners.is_some_and(|owners| !owners.is_empty())
    }

    /// True for a strategic merge patch: a `$patch` directive stands somewhere in it.
    pub fn is_patch(&self) -> bool {
        has_directive(&self.value)
    }
}

fn has_directive(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.contains_key("$patch") || map.values().any(has_directive),
        Value::List(items) => items.iter().any(has_directive),
        _ => false,
    }
}

/// Makes a Job of YAML, for tests.
#[cfg(test)]
pub(crate) fn job_of(text: &str) -> Job {
    let tree = crate::yaml::Tree::parse(text).unwrap();
    Job::new(crate::yaml::value::value(&tree, tree.root().unwrap(), text).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(annotations: &str) -> Job {
        job_of(&format!("{{metadata: {{name: a, annotations: {{{annotations}}}}}}}"))
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
    fn delete_policies_of_both_annotations_add_up() {
        let job =
            with("argocd.argoproj.io/hook-delete-policy: HookFailed, helm.sh/hook-delete-policy: 'hook-succeeded,x'");
        assert_eq!(job.delete_policies(), [HookDeletePolicy::HookSucceeded, HookDeletePolicy::HookFailed]);
    }
}
