//! `suspended-hook`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::path;

pub(super) const ROW: Row = Row {
    id: "suspended-hook",
    level: Level::Error,
    summary: "a suspended Job as a hook never completes",
    why: "Kubernetes starts no pod of a Job with `suspend: true`. Argo CD counts a suspended hook as running and \
          waits for it, for ever (`gitops-engine/pkg/sync/sync_context.go`; argo-cd #10600).",
    fix: "Remove `suspend: true`. To leave the hook out of the sync, write `argocd.argoproj.io/hook: Skip`.",
    link: "https://github.com/argoproj/argo-cd/issues/10600",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let suspended = look.hook_jobs().filter(|(_, job)| job.is_suspended());
    suspended
        .map(|(index, _)| {
            let message = "a suspended Job as a hook: it never completes, and the sync waits for ever";
            let help = "remove `suspend: true`, or write `argocd.argoproj.io/hook: Skip` to leave it out of the sync";
            Remark::at(index, path!["spec", "suspend"], message, help)
        })
        .collect()
}
