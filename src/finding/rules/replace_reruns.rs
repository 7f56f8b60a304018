//! `replace-reruns`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-reruns",
    level: Level::Info,
    summary: "`Force=true,Replace=true` on a Job: it runs at every sync that applies it",
    why: "Argo CD deletes the live Job and creates it anew at every sync, changed or not, for a commit that has \
          nothing to do with it too; a running one is killed (`gitops-engine/pkg/sync/sync_context.go`). With \
          `ApplyOutOfSyncOnly=true` in the Application only changes count. With server-side diff a changed Job blocks \
          the Application (argo-cd #29348).",
    fix: "Use the strategy `hash-name` for a Job that shall run once per change.",
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
                "`Force=true,Replace=true`: the Job runs at every sync that applies it, and a running one is killed";
            let help = "use the strategy `hash-name` if it shall run once per change";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
