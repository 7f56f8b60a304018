//! `weight-without-hook`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "weight-without-hook",
    level: Level::Info,
    summary: "Helm's hook weight on a Job that is no hook: Argo CD takes it for its wave",
    why: "Helm looks at `helm.sh/hook-weight` of hooks only. Argo CD takes it as the sync wave of any object that has \
          no `argocd.argoproj.io/sync-wave`, and waits until a wave is healthy before it begins the next \
          (`gitops-engine/pkg/sync/syncwaves/waves.go`; argo-cd #9721).",
    fix: "Remove the weight, or write `argocd.argoproj.io/sync-wave` if the order is wanted.",
    link: "https://github.com/argoproj/argo-cd/issues/9721",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let without_wave = context.ordinary_jobs().filter(|(_, job)| {
        let has_wave = job.annotation(argocd::SYNC_WAVE).and_then(argocd::wave).is_some();
        let weight = job.annotation(argocd::HELM_HOOK_WEIGHT).and_then(argocd::wave);
        !has_wave && weight.is_some_and(|weight| weight != 0)
    });
    without_wave
        .map(|(index, job)| {
            let message = format!("a hook weight on a Job that is no hook: Argo CD applies it in wave {}", job.wave());
            let help = "remove it, or write it as `argocd.argoproj.io/sync-wave` if the order is wanted";
            Diagnostic::on_annotation(index, argocd::HELM_HOOK_WEIGHT, message, help)
        })
        .collect()
}
