//! `hook-failed-deletes-logs`

use kube_jobs::argocd::{self, HookDeletePolicy};
use kube_jobs::kubernetes::Object;
use rewrite::strategy::gate::is_gate;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-failed-deletes-logs",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Info,
    summary: "a hook that is deleted when it fails, together with the logs of the failure",
    why: "With `HookFailed`, or Helm's `hook-failed`, Argo CD deletes the Job, Pod or Workflow as soon as the sync has failed \
          (`gitops-engine/pkg/sync/sync_context.go`). Its pods go with it, and their logs with them: nobody \
          can see why it failed, unless the cluster collects logs. With `BeforeHookCreation` the failed hook \
          stays until the next sync.\n\n\
          The level is info because clusters that collect logs lose nothing.",
    fix: "Replace `HookFailed` with `BeforeHookCreation`, or `hook-failed` with `before-hook-creation`. If the hook has \
          `HookSucceeded` too, you can keep that one.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/#hook-lifecycle-and-cleanup",
    example: super::example!("hook-failed-deletes-logs"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // Without a health check a sync does not wait for it, so it does not fail with it.
    let waited_for = context.finishing_hooks().filter(|(_, object)| context.waits_for(object));
    waited_for.filter_map(|(index, object)| of_hook(index, object)).collect()
}

fn of_hook(index: usize, object: &Object) -> Option<Diagnostic> {
    let policies = object.delete_policies();
    if !policies.contains(&HookDeletePolicy::HookFailed) {
        return None;
    }
    let helm = [argocd::HELM_HOOK_DELETE_POLICY, "hook-failed", "before-hook-creation"];
    let own = [argocd::HOOK_DELETE_POLICY, "HookFailed", "BeforeHookCreation"];
    let [key, policy, other] = if object.items(own[0]).contains(&own[1]) { own } else { helm };
    let kind = object.kind();
    let logs = if kind == "Pod" { "its logs" } else { "its pods and their logs" };
    let message = format!("`{policy}` deletes the {kind} with {logs} when it fails");
    let help = if is_gate(object) {
        format!("collect the logs in the cluster: without `{policy}`, this gate is not tried again")
    } else if policies.contains(&HookDeletePolicy::BeforeHookCreation) {
        format!("remove `{policy}` from `{key}` of the {kind}: `{other}` deletes it before the next run")
    } else {
        format!("replace `{policy}` with `{other}` in `{key}` of the {kind}, so that it stays until the next run")
    };
    Some(Diagnostic::on_annotation(index, key, message, help).at_word(policy))
}
