//! `both-hooks`

use crate::argocd::{self, HookDeletePolicy, HookType};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::{HookSource, Object};

pub(super) const RULE: Rule = Rule {
    id: "both-hooks",
    level: Level::Info,
    summary: "hook annotations of Helm beside those of Argo CD, where they do not say the same",
    why: "Argo CD takes Helm's hook types only when its own annotation has no valid one, but adds Helm's delete \
          policies to its own, and takes Helm's weight as the wave where there is no `argocd.argoproj.io/sync-wave` \
          (`gitops-engine/pkg/sync/hook`). So a `hook-succeeded` left over from a chart still deletes the Job, and its \
          logs, after every success (argo-cd #15613).",
    fix: "Remove the annotation of the two that is not meant. With the annotation `argocd-jobs/strategy: hook` the \
          Job loses those of Helm.",
    link: "https://github.com/argoproj/argo-cd/issues/15613",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let both =
        context.objects().filter(|(_, object)| object.annotation(argocd::HOOK).is_some() && !object.is_skipped());
    both.flat_map(|(index, object)| [types(index, object), policies(index, object), weight(index, object)])
        .flatten()
        .collect()
}

fn types(index: usize, object: &Object) -> Option<Diagnostic> {
    let (own, HookSource::Argocd) = object.hook_types() else { return None };
    let written = object.annotation(argocd::HELM_HOOK)?;
    let mut helm: Vec<HookType> =
        object.items(argocd::HELM_HOOK).into_iter().filter_map(HookType::parse_helm).collect();
    helm.dedup();
    if helm.is_empty() || helm == own {
        return None;
    }
    let counts = object.annotation(argocd::HOOK).unwrap_or("");
    let message = format!("the Helm hook `{written}` does not count beside `{}: {counts}`", argocd::HOOK);
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK, message, "remove the one that is not meant"))
}

fn policies(index: usize, object: &Object) -> Option<Diagnostic> {
    let own: Vec<&str> = object.items(argocd::HOOK_DELETE_POLICY);
    let helm = object.items(argocd::HELM_HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse_helm);
    let mut added =
        helm.filter(|policy| *policy != HookDeletePolicy::BeforeHookCreation && !own.contains(&policy.as_str()));
    let policy = added.next()?.as_str();
    let message = format!("Helm's delete policies count as well: the {} is deleted by `{policy}`", object.kind());
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK_DELETE_POLICY, message, "remove it if that is not meant"))
}

fn weight(index: usize, object: &Object) -> Option<Diagnostic> {
    let weight = object.annotation(argocd::HELM_HOOK_WEIGHT).and_then(argocd::wave).filter(|weight| *weight != 0)?;
    if object.annotation(argocd::SYNC_WAVE).and_then(argocd::wave).is_some() {
        return None;
    }
    let message = format!("Helm's hook weight counts as well: the {} runs in wave {weight}", object.kind());
    let help = "write `argocd.argoproj.io/sync-wave` if another wave is meant";
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK_WEIGHT, message, help))
}
