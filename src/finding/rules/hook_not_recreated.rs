//! `hook-not-recreated`

use crate::argocd::{self, HookDeletePolicy};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;

pub(super) const RULE: Rule = Rule {
    id: "hook-not-recreated",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "delete policies without `BeforeHookCreation`: a finished Job is found instead of being recreated",
    why: "Argo CD deletes the old Job before it runs the hook again only if the delete policies contain \
          `BeforeHookCreation`. Without any policy this is the default. With `HookSucceeded` alone, a failed Job is left behind. The \
          retry and the next sync apply the hook onto that Job: either nothing changes, so the hook has failed \
          before it started, or the change is rejected with `field is immutable` \
          (`gitops-engine/pkg/sync/sync_context.go`). With `HookFailed` alone, the same happens to a Job that \
          succeeded, and the hook does not run at all.",
    fix: "Add `BeforeHookCreation` to `argocd.argoproj.io/hook-delete-policy`. With the plugin, every strategy that \
          writes hooks does this.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("hook-not-recreated"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.hook_jobs().filter_map(|(index, job)| of_hook(index, job)).collect()
}

fn of_hook(index: usize, job: &Job) -> Option<Diagnostic> {
    // The Job is deleted as soon as it has finished: nothing is left behind.
    let ttl = job.ttl().filter(|ttl| *ttl >= 0);
    if ttl == Some(0) {
        return None;
    }
    let (left, finds) = match job.delete_policies().as_slice() {
        [HookDeletePolicy::HookSucceeded] => ("a failed Job", "the retry finds it instead of running the hook again"),
        // A generated name differs at the next sync, so no old Job is in the way.
        [HookDeletePolicy::HookFailed] if job.name().is_some() => {
            ("a successful Job", "the next sync finds it instead of running the hook again")
        }
        _ => return None,
    };
    let annotations = [argocd::HOOK_DELETE_POLICY, argocd::HELM_HOOK_DELETE_POLICY];
    let key = annotations.into_iter().find(|key| job.annotation(key).is_some())?;
    let until = ttl.map(|ttl| format!(", until its TTL deletes it after {ttl} s")).unwrap_or_default();
    let message = format!("no `BeforeHookCreation` in the delete policies: {left} is left behind{until}, and {finds}");
    let item = if key == argocd::HOOK_DELETE_POLICY { "BeforeHookCreation" } else { "before-hook-creation" };
    let help = format!("add `{item}` to `{key}` of the Job; with the plugin, the strategy `hook` does this");
    Some(Diagnostic::on_annotation(index, key, message, help))
}
