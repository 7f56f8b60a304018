//! `hook-not-recreated`

use crate::argocd::{self, HookDeletePolicy};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;

pub(super) const RULE: Rule = Rule {
    id: "hook-not-recreated",
    level: Level::Warning,
    summary: "delete policies without `BeforeHookCreation`: a finished Job is met again",
    why: "Argo CD deletes a hook before it runs it only with `BeforeHookCreation`, which is also what counts when \
          there is no policy at all. With `HookSucceeded` alone a failed Job stays: the retry and the next sync apply \
          the hook onto it, which either changes nothing, so that it has failed before it began, or is refused as \
          immutable (`gitops-engine/pkg/sync/sync_context.go`). With `HookFailed` alone the same happens to a Job that \
          has succeeded, and the hook does not run at all.",
    fix: "Add `BeforeHookCreation` to `argocd.argoproj.io/hook-delete-policy`. Every strategy that writes hooks does.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.hook_jobs().filter_map(|(index, job)| of_hook(index, job)).collect()
}

fn of_hook(index: usize, job: &Job) -> Option<Diagnostic> {
    let message = match job.delete_policies().as_slice() {
        [HookDeletePolicy::HookSucceeded] => "a failed Job stays, and a retry meets it instead of running the hook",
        // A generated name differs at the next sync, so no old Job is in the way.
        [HookDeletePolicy::HookFailed] if job.name().is_some() => {
            "a Job that succeeded stays, and the next sync meets it instead of running the hook"
        }
        _ => return None,
    };
    let annotations = [argocd::HOOK_DELETE_POLICY, argocd::HELM_HOOK_DELETE_POLICY];
    let key = annotations.into_iter().find(|key| job.annotation(key).is_some())?;
    let message = format!("no `BeforeHookCreation` among the delete policies: {message}");
    let item = if key == argocd::HOOK_DELETE_POLICY { "BeforeHookCreation" } else { "before-hook-creation" };
    Some(Diagnostic::on_annotation(index, key, message, format!("add `{item}`; the strategy `hook` does")))
}
