//! `unknown-delete-policy`

use crate::argocd::{self, HookDeletePolicy};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;
use crate::text::spelling;

pub(super) const RULE: Rule = Rule {
    id: "unknown-delete-policy",
    level: Level::Warning,
    summary: "a hook delete policy that Argo CD does not know and leaves out",
    why: "Policies are `HookSucceeded`, `HookFailed` and `BeforeHookCreation`, in `helm.sh/hook-delete-policy` \
          `hook-succeeded`, `hook-failed` and `before-hook-creation`, spelled exactly so. Others are left out without \
          a word; when none is left, `BeforeHookCreation` counts (`gitops-engine/pkg/sync/hook/delete_policy.go`).",
    fix: "Correct the spelling, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
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
    let outcome = if object.delete_policies().is_empty() {
        ": `BeforeHookCreation` counts instead"
    } else {
        " and leaves it out"
    };
    let message = format!("Argo CD does not know the delete policy `{unknown}`{outcome}");
    let help = match spelling::alike_or_nearest(unknown, known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("write `{}`, `{}` or `{}`, or remove it", known[0], known[1], known[2]),
    };
    Some(Diagnostic::on_annotation(index, key, message, help))
}
