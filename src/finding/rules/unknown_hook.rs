//! `unknown-hook`

use crate::argocd::{self, DELETE_HOOKS, HookType};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;
use crate::text::spelling;

pub(super) const RULE: Rule = Rule {
    id: "unknown-hook",
    level: Level::Error,
    summary: "a hook type that Argo CD does not know: the object is silently never applied",
    why: "An object with `argocd.argoproj.io/hook` is a hook whatever the value is. With no valid type in it Argo CD neither \
          applies nor compares it, and says nothing (`gitops-engine/pkg/sync/ignore/ignore.go`). Types are `PreSync`, `Sync`, \
          `PostSync`, `SyncFail`, `Skip`, `PreDelete`, `PostDelete`, spelled exactly so. Helm's own types are \
          read as strictly.",
    fix: "Correct the spelling. For a Job that is not meant to run under Argo CD write `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

const HOOKS: [&str; 7] = ["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];

/// All hook types that Helm has or had.
const HELM_HOOKS: [&str; 12] = [
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-delete",
    "post-delete",
    "pre-rollback",
    "post-rollback",
    "test",
    "test-success",
    "test-failure",
    "crd-install",
];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context
        .objects()
        .filter_map(|(index, object)| of_argocd(index, object).or_else(|| of_helm(index, object)))
        .collect()
}

fn of_argocd(index: usize, object: &Object) -> Option<Diagnostic> {
    let written = object.annotation(argocd::HOOK)?;
    let is_known = |item: &&str| HookType::parse(item).is_some() || DELETE_HOOKS.contains(item);
    let items = argocd::comma_list(written);
    let unknown = items.iter().find(|item| !is_known(item));
    let runs = items.iter().any(is_known) || !object.hook_types().0.is_empty();
    let message = match (unknown, runs) {
        (Some(item), true) => format!("Argo CD does not know the hook type `{item}` and leaves it out"),
        (Some(item), false) => {
            format!("Argo CD does not know the hook type `{item}`: the {} is never applied", object.kind())
        }
        (None, false) => format!("the hook has no type: the {} is never applied", object.kind()),
        (None, true) => return None,
    };
    let help = match unknown.and_then(|item| spelling::alike_or_nearest(item, HOOKS)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "write `PreSync`, `Sync`, `PostSync` or `SyncFail`, spelled so, or remove the annotation".to_owned(),
    };
    Some(Diagnostic::on_annotation(index, argocd::HOOK, message, help))
}

fn of_helm(index: usize, object: &Object) -> Option<Diagnostic> {
    let written = object.annotation(argocd::HELM_HOOK)?;
    if object.annotation(argocd::HOOK).is_some() {
        return None;
    }
    let items = argocd::comma_list(written);
    let unknown = items.iter().find(|item| !HELM_HOOKS.contains(item));
    let runs = items.iter().any(|item| HELM_HOOKS.contains(item));
    let kind = object.kind();
    let message = match (unknown, runs) {
        (Some(item), true) => format!("neither Helm nor Argo CD knows the hook type `{item}`"),
        (Some(item), false) => {
            format!("neither Helm nor Argo CD knows the hook type `{item}`: the {kind} is never applied")
        }
        (None, false) => format!("the Helm hook has no type: the {kind} is never applied"),
        (None, true) => return None,
    };
    let help = match unknown.and_then(|item| spelling::alike_or_nearest(item, HELM_HOOKS)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => {
            "write `pre-install`, `post-install` or another of Helm's hook types, or remove the annotation".to_owned()
        }
    };
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK, message, help))
}
