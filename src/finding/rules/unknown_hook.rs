//! `unknown-hook`

use crate::argocd::{self, DELETE_HOOKS, Fact, HookType, Version};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;
use crate::text::spelling;

pub(super) const RULE: Rule = Rule {
    id: "unknown-hook",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Error,
    summary: "an unknown hook type: the resource is silently never applied",
    why: "A resource with `argocd.argoproj.io/hook` is a hook, whatever its value. If the value contains no valid \
          type, Argo CD neither applies nor compares the resource, and does not report it \
          (`gitops-engine/pkg/sync/ignore/ignore.go`). The types are `PreSync`, `Sync`, `PostSync`, `SyncFail`, \
          `Skip`, `PreDelete` (Argo CD 3.3 and later) and `PostDelete`, spelled exactly like this. Helm's own types must be spelled exactly, \
          too. Beside a valid type an unknown one is ignored; the level is then warning.",
    fix: "Correct the spelling. For a Job that should not run under Argo CD, write `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("unknown-hook"),
    check: Check::Objects(check),
};

/// All hook types of Argo CD.
pub(in crate::finding) const HOOKS: [&str; 7] =
    ["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];

/// All hook types that Helm has or had.
pub(in crate::finding) const HELM_HOOKS: [&str; 12] = [
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
        .filter_map(|(index, object)| {
            let unknown = of_argocd(index, object).or_else(|| of_helm(index, object));
            unknown.or_else(|| too_new(index, object, context.output.argocd_version))
        })
        .collect()
}

/// Reports a hook type that this version of Argo CD does not know yet.
fn too_new(index: usize, object: &Object, version: Version) -> Option<Diagnostic> {
    if version.has(Fact::PreDelete) || !object.is_only_before_delete() {
        return None;
    }
    let (key, item) = match object.annotation(argocd::HOOK) {
        Some(_) => (argocd::HOOK, "PreDelete"),
        None => (argocd::HELM_HOOK, "pre-delete"),
    };
    let message =
        format!("hook type `{item}`: Argo CD {version} does not know it and never applies the {}", object.kind());
    let help = "use Argo CD 3.3 or later, or run it after the deletion, as a `PostDelete` hook";
    Some(Diagnostic::on_annotation(index, key, message, help))
}

fn of_argocd(index: usize, object: &Object) -> Option<Diagnostic> {
    let written = object.annotation(argocd::HOOK)?;
    let is_known = |item: &&str| HookType::parse(item).is_some() || DELETE_HOOKS.contains(item);
    let items = argocd::comma_list(written);
    let unknown = items.iter().find(|item| !is_known(item));
    let runs = items.iter().any(is_known) || !object.hook_types().0.is_empty();
    let message = match (unknown, runs) {
        (Some(item), true) => format!("unknown hook type `{item}`: Argo CD ignores it"),
        (Some(item), false) => {
            format!("unknown hook type `{item}`: Argo CD never applies the {}", object.kind())
        }
        (None, false) => format!("the hook has no type: Argo CD never applies the {}", object.kind()),
        (None, true) => return None,
    };
    let help = match unknown.and_then(|item| spelling::alike_or_nearest(item, HOOKS)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "write `PreSync`, `Sync`, `PostSync` or `SyncFail`, spelled exactly like this, or remove `argocd.argoproj.io/hook`".to_owned(),
    };
    let level = if runs { Level::Warning } else { Level::Error };
    Some(Diagnostic::on_annotation(index, argocd::HOOK, message, help).at_level(level).at_word(unknown.unwrap_or(&"")))
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
        (Some(item), true) => format!("unknown Helm hook type `{item}`: Argo CD ignores it"),
        (Some(item), false) => {
            format!("unknown Helm hook type `{item}`: Argo CD never applies the {kind}")
        }
        (None, false) => format!("the Helm hook has no type: Argo CD never applies the {kind}"),
        (None, true) => return None,
    };
    let help = match unknown.and_then(|item| spelling::alike_or_nearest(item, HELM_HOOKS)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => {
            "write `pre-install`, `post-install` or another of Helm's hook types, or remove `helm.sh/hook`".to_owned()
        }
    };
    let level = if runs { Level::Warning } else { Level::Error };
    Some(
        Diagnostic::on_annotation(index, argocd::HELM_HOOK, message, help)
            .at_level(level)
            .at_word(unknown.unwrap_or(&"")),
    )
}
