//! `hooks-only`

use super::hook_change_unseen::hook_path;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hooks-only",
    level: Level::Warning,
    summary: "nothing but hooks: the Application is never synced by itself, not even the first time",
    why: "Argo CD leaves hooks out of its comparison, and auto-sync begins only when the comparison finds a difference \
          (`autoSync` in `controller/appcontroller.go`). An Application of hooks alone is `Synced` from the beginning. Only a sync \
          that somebody starts runs its Jobs (argo-cd #9830).",
    fix: "Leave the parameter `trigger` on: one ordinary ConfigMap that changes with the hooks makes the Application OutOfSync. Or \
          let the Job be an ordinary one, with `argocd-jobs/strategy: hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/9830",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_ordinary_object() || context.has_trigger() {
        return Vec::new();
    }
    let message = "everything here is a hook: Argo CD never starts a sync by itself, not even the first";
    let help = "set the parameter `trigger` to `true`, or let the Job be an ordinary one with `argocd-jobs/strategy: hash-name`";
    let diagnostic = |(index, job)| Diagnostic::at(index, hook_path(job), message, help).solved_by("the trigger");
    context.sync_hooks().next().map(diagnostic).into_iter().collect()
}
