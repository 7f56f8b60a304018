//! `unknown-hook`

use crate::argocd::{self, DELETE_HOOKS, HELM_DELETE_HOOKS, HookType};
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Object;

pub(super) const ROW: Row = Row {
    id: "unknown-hook",
    level: Level::Error,
    summary: "a hook type that Argo CD does not know: the object is silently never applied",
    why: "An object with `argocd.argoproj.io/hook` is a hook whatever the value is. With no valid type in it Argo CD neither \
          applies nor compares it, and says nothing (`gitops-engine/pkg/sync/ignore/ignore.go`). Types are `PreSync`, `Sync`, \
          `PostSync`, `SyncFail`, `Skip`, `PreDelete`, `PostDelete`, spelled exactly so. Of Helm's, `test`, `pre-rollback` and \
          `post-rollback` have no counterpart and are left out as well.",
    fix: "Correct the spelling. For a Job that is not meant to run under Argo CD write `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    look.objects().filter_map(|(index, object)| of_argocd(index, object).or_else(|| of_helm(index, object))).collect()
}

fn of_argocd(index: usize, object: &Object) -> Option<Remark> {
    let written = object.annotation(argocd::HOOK)?;
    let is_known = |item: &&str| HookType::parse(item).is_some() || DELETE_HOOKS.contains(item);
    let items = argocd::comma_list(written);
    let unknown = items.iter().find(|item| !is_known(item));
    let runs = items.iter().any(is_known) || !object.hook_types().0.is_empty();
    let path = ["metadata", "annotations", argocd::HOOK];
    let message = match (unknown, runs) {
        (Some(item), true) => format!("Argo CD does not know the hook type `{item}` and leaves it out"),
        (Some(item), false) => {
            format!("Argo CD does not know the hook type `{item}`: the {} is never applied", object.kind())
        }
        (None, false) => format!("the hook has no type: the {} is never applied", object.kind()),
        (None, true) => return None,
    };
    let nearest = unknown.and_then(|item| nearest(item));
    let help = match nearest {
        Some(known) => format!("did you mean `{known}`?"),
        None => "write `PreSync`, `Sync`, `PostSync` or `SyncFail`, spelled so, or remove the annotation".to_owned(),
    };
    Some(Remark::at(index, &path, message, help))
}

/// A type that is spelled alike but for case and dashes.
fn nearest(item: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_', ' '], "");
    let known = ["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];
    known.into_iter().find(|known| plain(known) == plain(item))
}

fn of_helm(index: usize, object: &Object) -> Option<Remark> {
    let written = object.annotation(argocd::HELM_HOOK)?;
    if !object.is_hook() || !object.hook_types().0.is_empty() || object.is_delete_hook() {
        return None;
    }
    let items = argocd::comma_list(written);
    if items.iter().any(|item| HELM_DELETE_HOOKS.contains(item)) {
        return None;
    }
    let message = format!("Argo CD has no phase for the Helm hook `{written}`: the {} is never applied", object.kind());
    let help =
        "set `argocd.argoproj.io/hook` to the phase in which it shall run, or leave it if only Helm shall run it";
    Some(Remark::at(index, &["metadata", "annotations", argocd::HELM_HOOK], message, help))
}
