//! `hooks-only`

use super::hook_change_unseen::hook_path;
use crate::finding::{Judge, Level, Look, Remark, Row};

pub(super) const ROW: Row = Row {
    id: "hooks-only",
    level: Level::Warning,
    summary: "nothing but hooks: the Application is never synced by itself, not even the first time",
    why: "Argo CD leaves hooks out of its comparison, and auto-sync begins only when the comparison finds a difference \
          (`autoSync` in `controller/appcontroller.go`). An Application of hooks alone is `Synced` from the beginning. Only a sync \
          that somebody starts runs its Jobs (argo-cd #9830).",
    fix: "Leave the parameter `trigger` on: one ordinary ConfigMap that changes with the hooks makes the Application OutOfSync. Or \
          let the Job be an ordinary one, with `argocd-jobs/strategy: hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/9830",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    if look.has_ordinary_object() || look.has_trigger() {
        return Vec::new();
    }
    let message = "everything here is a hook: Argo CD never starts a sync by itself, not even the first";
    let help = "set the parameter `trigger` to `true`, or let the Job be an ordinary one with `argocd-jobs/strategy: hash-name`";
    let remark = |(index, job)| Remark::at(index, hook_path(job), message, help).solved_by("the trigger");
    look.sync_hooks().next().map(remark).into_iter().collect()
}
