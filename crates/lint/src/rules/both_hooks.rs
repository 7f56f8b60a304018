//! `both-hooks`

use kube_jobs::argocd::{self, HookDeletePolicy, HookType};
use kube_jobs::kubernetes::{HookSource, Object};

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "both-hooks",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Info,
    summary: "Helm hook annotations next to Argo CD's own, with different values",
    why: "Argo CD uses Helm's hook types only if its own annotation has no valid one. But it adds Helm's delete \
          policies to its own, and uses Helm's weight as the sync wave if there is no `argocd.argoproj.io/sync-wave` \
          (`gitops-engine/pkg/sync/hook`). So a `hook-succeeded` left over from a chart still deletes the Job, and \
          its logs, after every success (argo-cd #15613).",
    fix: "Remove the annotation that you do not want. With the plugin, the annotation `argocd-jobs/strategy: hook` \
          removes Helm's annotations from the Job.",
    link: "https://github.com/argoproj/argo-cd/issues/15613",
    example: super::example!("both-hooks"),
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
    let (helm_hook, hook) = (argocd::HELM_HOOK, argocd::HOOK);
    let message = format!("`{helm_hook}: {written}` has no effect because of `{hook}: {counts}`");
    let help = format!("remove `{helm_hook}` or `{hook}` from the {}", object.kind());
    Some(Diagnostic::on_annotation(index, helm_hook, message, help))
}

fn policies(index: usize, object: &Object) -> Option<Diagnostic> {
    let own: Vec<&str> = object.items(argocd::HOOK_DELETE_POLICY);
    let helm = object.items(argocd::HELM_HOOK_DELETE_POLICY).into_iter().filter_map(HookDeletePolicy::parse_helm);
    let mut added =
        helm.filter(|policy| *policy != HookDeletePolicy::BeforeHookCreation && !own.contains(&policy.as_str()));
    let policy = added.next()?;
    let when = if policy == HookDeletePolicy::HookFailed { "failed" } else { "successful" };
    let (key, kind) = (argocd::HELM_HOOK_DELETE_POLICY, object.kind());
    let message = format!("`{key}` applies as well: the {kind} is deleted after every {when} sync");
    let help = format!("remove `{key}` if the {kind} should be kept");
    Some(Diagnostic::on_annotation(index, key, message, help))
}

fn weight(index: usize, object: &Object) -> Option<Diagnostic> {
    let weight = object.annotation(argocd::HELM_HOOK_WEIGHT).and_then(argocd::wave).filter(|weight| *weight != 0)?;
    if object.annotation(argocd::SYNC_WAVE).and_then(argocd::wave).is_some() {
        return None;
    }
    let key = argocd::HELM_HOOK_WEIGHT;
    let message = format!("`{key}` applies as well: the {} is in sync wave {weight}", object.kind());
    let help = format!("remove `{key}`, or set `{}` to the wave that you want", argocd::SYNC_WAVE);
    Some(Diagnostic::on_annotation(index, key, message, help))
}
