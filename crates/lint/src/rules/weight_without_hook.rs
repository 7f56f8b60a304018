//! `weight-without-hook`

use kube_jobs::argocd;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "weight-without-hook",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Info,
    summary: "Helm's hook weight on an object that is not a hook: Argo CD uses it as the sync wave",
    why: "Helm reads `helm.sh/hook-weight` on hooks only. Argo CD uses it as the sync wave of any resource without \
          `argocd.argoproj.io/sync-wave`, and waits until a wave is healthy before it starts the next one \
          (`gitops-engine/pkg/sync/syncwaves/waves.go`; argo-cd #9721).",
    fix: "Remove the weight, or write `argocd.argoproj.io/sync-wave` if you want this order.",
    link: "https://github.com/argoproj/argo-cd/issues/9721",
    example: super::example!("weight-without-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let without_wave = context.ordinary_objects().filter(|(_, object)| {
        let has_wave = object.annotation(argocd::SYNC_WAVE).and_then(argocd::wave).is_some();
        let weight = object.annotation(argocd::HELM_HOOK_WEIGHT).and_then(argocd::wave);
        !has_wave && weight.is_some_and(|weight| weight != 0)
    });
    without_wave
        .map(|(index, object)| {
            let (key, wave, kind) = (argocd::HELM_HOOK_WEIGHT, object.wave(), object.kind());
            let message =
                format!("`{key}` on a {kind} that is not a hook: Argo CD applies the {kind} in sync wave {wave}");
            let help = format!(
                "remove `{key}` from the {kind}, or write `{}` instead if you want this order",
                argocd::SYNC_WAVE
            );
            Diagnostic::on_annotation(index, key, message, help).at_key()
        })
        .collect()
}
