//! `hook-change-unseen`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::path;
use crate::survey::Side;
use crate::yaml::Path;

pub(super) const RULE: Rule = Rule {
    id: "hook-change-unseen",
    level: Level::Info,
    summary: "a commit that changes only this hook starts no auto-sync",
    why: "Argo CD leaves hooks out of its comparison, and auto-sync begins only when the comparison finds a difference \
          (`resState.Hook` in `controller/state.go`). A new image of a hook is not run until something else changes too, or somebody \
          syncs (argo-cd #9830, #13295, #21939).",
    fix: "Leave the parameter `trigger` on: one ordinary ConfigMap that changes with the hooks makes the Application OutOfSync, and \
          the sync that follows runs them. Or let the Job be an ordinary one, with `argocd-jobs/strategy: hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/9830",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // The trigger solves this for nearly every output with hooks, so it is not reported. Without an
    // ordinary object `hooks-only` reports it.
    if context.side == Side::Written || context.has_trigger() || !context.has_ordinary_object() {
        return Vec::new();
    }
    let message = "a commit that changes only this hook starts no auto-sync";
    let help = "set the parameter `trigger` to `true`, or let the Job be an ordinary one with `argocd-jobs/strategy: hash-name`";
    context.sync_hooks().map(|(index, job)| Diagnostic::at(index, hook_path(job), message, help)).collect()
}

/// The path of the annotation that makes the Job a hook.
pub(super) fn hook_path(job: &Job) -> Path {
    let key = if job.annotation(argocd::HOOK).is_some() { argocd::HOOK } else { argocd::HELM_HOOK };
    path!["metadata", "annotations", key]
}
