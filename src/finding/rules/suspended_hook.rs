//! `suspended-hook`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "suspended-hook",
    level: Level::Error,
    summary: "a suspended Job as a hook never completes",
    why: "Kubernetes starts no pod of a Job with `suspend: true`. Argo CD counts a suspended hook as running and \
          waits for it, for ever (`gitops-engine/pkg/sync/sync_context.go`; argo-cd #10600).",
    fix: "Remove `suspend: true`. To leave the hook out of the sync, write `argocd.argoproj.io/hook: Skip`.",
    link: "https://github.com/argoproj/argo-cd/issues/10600",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let suspended = context.hook_jobs().filter(|(_, job)| job.is_suspended());
    suspended
        .map(|(index, _)| {
            let message = "a suspended Job as a hook: it never completes, and the sync waits for ever";
            let help = "remove `suspend: true`, or write `argocd.argoproj.io/hook: Skip` to leave it out of the sync";
            Diagnostic::at(index, path!["spec", "suspend"], message, help)
        })
        .collect()
}
