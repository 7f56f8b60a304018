//! `hook-failed-deletes-logs`

use crate::argocd::{self, HookDeletePolicy};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;

pub(super) const RULE: Rule = Rule {
    id: "hook-failed-deletes-logs",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Info,
    summary: "a hook Job that is deleted when it fails, together with the logs of the failure",
    why: "With `HookFailed`, or Helm's `hook-failed`, Argo CD deletes the Job as soon as the sync has failed \
          (`gitops-engine/pkg/sync/sync_context.go`). The Job's pods go with it, and their logs with them: nobody \
          can see why the Job failed, unless the cluster collects logs. With `BeforeHookCreation` the failed Job \
          stays until the next sync.\n\n\
          The level is info because clusters that collect logs lose nothing.",
    fix: "Replace `HookFailed` with `BeforeHookCreation`, or `hook-failed` with `before-hook-creation`. If the Job has \
          `HookSucceeded` too, you can keep that one.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/#hook-lifecycle-and-cleanup",
    example: super::example!("hook-failed-deletes-logs"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.hook_jobs().filter_map(|(index, job)| of_job(index, job)).collect()
}

fn of_job(index: usize, job: &Job) -> Option<Diagnostic> {
    let policies = job.delete_policies();
    if !policies.contains(&HookDeletePolicy::HookFailed) {
        return None;
    }
    let helm = [argocd::HELM_HOOK_DELETE_POLICY, "hook-failed", "before-hook-creation"];
    let own = [argocd::HOOK_DELETE_POLICY, "HookFailed", "BeforeHookCreation"];
    let [key, policy, other] = if job.items(own[0]).contains(&own[1]) { own } else { helm };
    let message = format!("`{policy}` deletes the Job with its pods and their logs when it fails");
    let help = if policies.contains(&HookDeletePolicy::BeforeHookCreation) {
        format!("remove `{policy}` from `{key}` of the Job: `{other}` deletes it before the next run")
    } else {
        format!("replace `{policy}` with `{other}` in `{key}` of the Job, so that it stays until the next run")
    };
    Some(Diagnostic::on_annotation(index, key, message, help).at_word(policy))
}
