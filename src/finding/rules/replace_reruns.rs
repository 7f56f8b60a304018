//! `replace-reruns`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-reruns",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Info,
    summary: "`Force=true,Replace=true` on a Job: it runs at every sync that applies it",
    why: "Argo CD deletes and recreates the live Job at every sync, whether or not the Job has changed, even for an \
          unrelated commit. A running Job is killed (`gitops-engine/pkg/sync/sync_context.go`). With \
          `ApplyOutOfSyncOnly=true` in the Application, this happens only if the Job is OutOfSync. With server-side \
          diff, a changed Job blocks the Application (argo-cd #29348).",
    fix: "If the Job should run once per change, use the strategy `hash-name` of the plugin.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let replaced = context.ordinary_jobs().filter(|(_, job)| {
        let is_replaced = job.has_sync_option("Replace=true") || context.has_application_option("Replace=true");
        job.name().is_some() && job.has_sync_option("Force=true") && is_replaced
    });
    replaced
        .map(|(index, _)| {
            let message =
                "`Force=true,Replace=true`: the Job runs at every sync that applies it, and a running Job is killed";
            let help = "if the Job should run once per change, use the strategy `hash-name` of the plugin";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
