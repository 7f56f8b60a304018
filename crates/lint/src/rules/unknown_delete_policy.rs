//! `unknown-delete-policy`

use kube_jobs::argocd::{self, HookDeletePolicy};
use kube_jobs::kubernetes::Object;
use text::spelling;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unknown-delete-policy",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "an unknown hook delete policy, which Argo CD ignores",
    why: "The policies are `HookSucceeded`, `HookFailed` and `BeforeHookCreation`; in `helm.sh/hook-delete-policy` \
          they are `hook-succeeded`, `hook-failed` and `before-hook-creation`. They must be spelled exactly like \
          this. Others are silently ignored; if none is left, `BeforeHookCreation` applies \
          (`gitops-engine/pkg/sync/hook/delete_policy.go`).",
    fix: "Correct the spelling, or remove the policy.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("unknown-delete-policy"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let hooks = context.objects().filter(|(_, object)| object.is_hook());
    hooks.flat_map(|(index, object)| [of_argocd(index, object), of_helm(index, object)]).flatten().collect()
}

fn of_argocd(index: usize, object: &Object) -> Option<Diagnostic> {
    let known = HookDeletePolicy::ALL.map(HookDeletePolicy::as_str);
    of_annotation((index, object), argocd::HOOK_DELETE_POLICY, &known)
}

fn of_helm(index: usize, object: &Object) -> Option<Diagnostic> {
    of_annotation((index, object), argocd::HELM_HOOK_DELETE_POLICY, &argocd::HELM_DELETE_POLICIES)
}

fn of_annotation((index, object): (usize, &Object), key: &str, known: &[&'static str]) -> Option<Diagnostic> {
    let items = object.items(key);
    let unknown = items.iter().find(|item| !known.contains(item))?;
    let outcome =
        if object.delete_policies().is_empty() { ", and the default `BeforeHookCreation` applies" } else { "" };
    let message = format!("unknown policy `{unknown}` in `{key}`: Argo CD ignores it{outcome}");
    let help = match spelling::alike_or_nearest(unknown, known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("write `{}`, `{}` or `{}`, or remove `{unknown}`", known[0], known[1], known[2]),
    };
    Some(Diagnostic::on_annotation(index, key, message, help).at_word(unknown))
}
