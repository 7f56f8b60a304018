//! `delete-policy-without-hook`

use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "delete-policy-without-hook",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a hook delete policy on something that is not a hook: it has no effect",
    why: "Argo CD reads the delete policies of hooks only. A policy without a hook often means that the annotation \
          that makes the resource a hook is missing or misspelled. The resource is then applied as an ordinary one, \
          and a change to a Job fails with `field is immutable`.",
    fix: "Add `argocd.argoproj.io/hook`, or remove the delete policy.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("delete-policy-without-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let no_hooks = context.objects().filter(|(_, object)| !object.is_hook() && !object.is_skipped());
    no_hooks.filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let pairs = [(argocd::HOOK_DELETE_POLICY, argocd::HOOK), (argocd::HELM_HOOK_DELETE_POLICY, argocd::HELM_HOOK)];
    let (key, hook) = pairs.into_iter().find(|(key, _)| object.annotation(key).is_some())?;
    let kind = object.kind();
    let (message, help) = match object.annotation(hook) {
        // Such as `crd-install` of Helm 2.
        Some(value) => (
            format!("`{key}` has no effect: with `{hook}: {value}`, the {kind} is not a hook of Argo CD"),
            format!("remove `{key}`"),
        ),
        None => (
            format!("`{key}` has no effect on a {kind} that is not a hook"),
            format!("add `{hook}` to the {kind}, or remove `{key}`"),
        ),
    };
    Some(Diagnostic::on_annotation(index, key, message, help).at_key())
}
