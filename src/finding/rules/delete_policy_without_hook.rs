//! `delete-policy-without-hook`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;

pub(super) const RULE: Rule = Rule {
    id: "delete-policy-without-hook",
    level: Level::Warning,
    summary: "a hook delete policy on what is no hook: it has no effect",
    why: "Argo CD looks at delete policies of hooks only. Where one stands alone, the annotation that makes the \
          object a hook is often missing or misspelled: then it is applied as an ordinary object, and a changed Job is \
          refused as immutable.",
    fix: "Add `argocd.argoproj.io/hook`, or remove the policy.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let no_hooks = context.objects().filter(|(_, object)| !object.is_hook() && !object.is_skipped());
    no_hooks.filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let pairs = [(argocd::HOOK_DELETE_POLICY, argocd::HOOK), (argocd::HELM_HOOK_DELETE_POLICY, argocd::HELM_HOOK)];
    let (key, hook) = pairs.into_iter().find(|(key, _)| object.annotation(key).is_some())?;
    let message = format!("`{key}` on a {} that is no hook: it has no effect", object.kind());
    Some(Diagnostic::on_annotation(index, key, message, format!("add `{hook}`, or remove it")))
}
