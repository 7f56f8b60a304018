//! `unknown-hook`

use kube_jobs::argocd::{self, Deletion, Phase, Version};
use kube_jobs::kubernetes::Object;
use text::{Help, spelling};

use crate::{Check, Context, Diagnostic, Level, Rule};

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
          too. Beside a valid type an unknown one is ignored; the level is then warning.\n\n\
          Before Argo CD 3.3.3, a type of the deletion counts only if it is the whole annotation: `post-install,post-delete` does not run at the \
          deletion, and `pre-delete,post-delete` never. Argo CD 3.3.3 and 3.3.4 run a hook that has such a type in no sync \
          (`controller/hook.go`, `controller/state.go`; argo-cd #26420, #26956). From 3.3.5 on, it runs in its phases of a sync. But a `PreDelete` hook \
          that the last sync has left in the cluster counts as the run of the deletion: nothing runs then (`executeHooks` in `controller/hook.go`).",
    fix: "Correct the spelling. For a Job that should not run under Argo CD, write `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("unknown-hook"),
    check: Check::Objects(check),
};

/// All hook types of Argo CD.
pub(crate) const HOOKS: [&str; 7] = ["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];

/// All hook types that Helm has or had.
pub(crate) const HELM_HOOKS: [&str; 12] = [
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
            unknown.or_else(|| of_version(index, object, context.output.argocd_version))
        })
        .collect()
}

/// Reports a type of the deletion that this version of Argo CD does not know, or does not know together with other types.
fn of_version(index: usize, object: &Object, version: Version) -> Option<Diagnostic> {
    if !object.is_delete_hook() {
        return None;
    }
    let (key, item) = deletion_type(object)?;
    let (kind, counts) = (object.kind(), !object.deletions(version).is_empty());
    let runs = !object.phases().is_empty();
    let is_alone = !runs && object.annotation(key) == Some(item);
    let (message, help, level) = match (counts, runs) {
        (true, true) if object.is_left_out_of_syncs(version) => (
            format!("hook type `{item}` beside those of a sync: Argo CD {version} runs the {kind} in no sync"),
            "use Argo CD 3.3.5 or later, or make a hook of its own for the deletion",
            Level::Error,
        ),
        (true, true) if is_there_at_deletion(object, version) => (
            format!(
                "hook type `{item}` beside those of a sync: the {kind} that the last sync leaves counts as the run of the deletion, and none runs then"
            ),
            "make a hook of its own for the deletion, or let each sync delete it: `argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded`",
            Level::Warning,
        ),
        (true, _) => return None,
        (false, false) if is_alone => (
            format!("hook type `{item}`: Argo CD {version} does not know it and never applies the {kind}"),
            "use Argo CD 3.3 or later, or run it after the deletion, as a `PostDelete` hook",
            Level::Error,
        ),
        (false, false) => (
            format!(
                "hook type `{item}` beside others: Argo CD {version} takes it only alone, and never applies the {kind}"
            ),
            "use Argo CD 3.3.3 or later, or make a hook of its own for each type",
            Level::Error,
        ),
        (false, true) => (
            format!(
                "hook type `{item}` beside others: Argo CD {version} takes it only alone, and does not run the {kind} when the Application is deleted"
            ),
            "use Argo CD 3.3.3 or later, or make a hook of its own for the deletion",
            Level::Warning,
        ),
    };
    Some(Diagnostic::on_annotation(index, key, message, help).at_level(level).at_word(item))
}

/// Whether a hook of a sync is in the cluster when the Application is deleted, so that Argo CD does not create it before it deletes the resources. A
/// `PostDelete` hook can be deleted with them, and run after that.
fn is_there_at_deletion(object: &Object, version: Version) -> bool {
    let has_ttl = object.value().at(&["spec", "ttlSecondsAfterFinished"]).is_some();
    object.deletions(version) == [Deletion::Pre]
        && object.phases() != [Phase::SyncFail]
        && object.name().is_some()
        && !object.is_deleted_after_success()
        && !has_ttl
}

/// The first type of the deletion, with its annotation.
fn deletion_type(object: &Object) -> Option<(&'static str, &'static str)> {
    let own = Deletion::ALL.map(|deletion| (argocd::HOOK, deletion.as_str()));
    let helm = Deletion::ALL.map(|deletion| (argocd::HELM_HOOK, deletion.of_helm()));
    own.into_iter().chain(helm).find(|(key, item)| object.items(key).contains(item))
}

fn of_argocd(index: usize, object: &Object) -> Option<Diagnostic> {
    let other = "write `PreSync`, `Sync`, `PostSync` or `SyncFail`, spelled exactly like this, or remove `argocd.argoproj.io/hook`";
    of_annotation((index, object), argocd::HOOK, "hook", &HOOKS, other)
}

fn of_helm(index: usize, object: &Object) -> Option<Diagnostic> {
    if object.annotation(argocd::HOOK).is_some() {
        return None;
    }
    let other = "write `pre-install`, `post-install` or another of Helm's hook types, or remove `helm.sh/hook`";
    of_annotation((index, object), argocd::HELM_HOOK, "Helm hook", &HELM_HOOKS, other)
}

/// Reports the first type in the annotation `key` that is not `known`. `other` is the help if no known type is similar.
fn of_annotation(
    (index, object): (usize, &Object),
    key: &str,
    noun: &str,
    known: &[&'static str],
    other: &'static str,
) -> Option<Diagnostic> {
    let items = argocd::comma_list(object.annotation(key)?);
    let unknown = items.iter().find(|item| !known.contains(item));
    let runs = items.iter().any(|item| known.contains(item)) || !object.hook_types().0.is_empty();
    let kind = object.kind();
    let message = match (unknown, runs) {
        (Some(item), true) => format!("unknown {noun} type `{item}`: Argo CD ignores it"),
        (Some(item), false) => format!("unknown {noun} type `{item}`: Argo CD never applies the {kind}"),
        (None, false) => format!("the {noun} has no type: Argo CD never applies the {kind}"),
        (None, true) => return None,
    };
    let help = match unknown.and_then(|item| spelling::alike_or_nearest(item, known.iter().copied())) {
        Some(known) => Help::from(format!("did you mean `{known}`?")),
        None => other.into(),
    };
    let level = if runs { Level::Warning } else { Level::Error };
    Some(Diagnostic::on_annotation(index, key, message, help).at_level(level).at_word(unknown.unwrap_or(&"")))
}
