//! `hook-not-recreated`

use goyaml::Value;
use kube_jobs::argocd::{self, HookDeletePolicy};
use kube_jobs::kubernetes::Object;
use rewrite::strategy::gate::is_gate;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-not-recreated",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "delete policies without `BeforeHookCreation`: what has finished is found instead of being recreated",
    why: "Argo CD deletes the old Job, Pod, Workflow or other run before it runs the hook again only if the delete policies contain \
          `BeforeHookCreation`. Without any policy this is the default. With `HookSucceeded` alone, a failed one is left behind. The \
          retry and the next sync apply the hook onto it: either nothing changes, so the hook has failed \
          before it started, or the change is rejected with `field is immutable` \
          (`gitops-engine/pkg/sync/sync_context.go`). With `HookFailed` alone, the next sync finds one that succeeded, \
          and does not run it; a change makes a sync fail with `field is immutable`. A sync that fails, whatever has \
          failed in it, deletes what has finished, and the next one runs it.\n\n\
          If the name changes with the content (a hash, a date, the tag of the image), this is meant: the hook runs once \
          per name. People call it a gate. The finding is then an info, because any failed sync makes all gates run again.",
    fix: "Add `BeforeHookCreation` to `argocd.argoproj.io/hook-delete-policy`. With the plugin, every strategy that \
          writes hooks does this for Jobs; it leaves gates alone, and a Job with `argocd-jobs/strategy: keep`. Instead of a \
          gate, use an ordinary Job in a wave before the rollout: with `hash-name`, it runs once per change, and not again \
          after a failed sync.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("hook-not-recreated"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.finishing_hooks().filter_map(|(index, object)| of_hook(index, object, context.waits_for(object))).collect()
}

fn of_hook(index: usize, object: &Object, is_awaited: bool) -> Option<Diagnostic> {
    let ttl = object.value().at(&["spec", "ttlSecondsAfterFinished"]).and_then(Value::as_number);
    let ttl = ttl.filter(|ttl| object.is_job() && *ttl >= 0);
    // Such an object is deleted as soon as it has finished, so it is not left behind.
    if ttl == Some(0) || is_deleted_by_itself(object) {
        return None;
    }
    let kind = object.kind();
    let (left, finds) = match object.delete_policies().as_slice() {
        // A sync that does not wait for it does not fail with it.
        [HookDeletePolicy::HookSucceeded] if !is_awaited => (format!("the {kind} of a failed sync"), "retry"),
        [HookDeletePolicy::HookSucceeded] => (format!("a failed {kind}"), "retry"),
        // A generated name is different at the next sync, so no old object has the same name.
        [HookDeletePolicy::HookFailed] if object.name().is_some() => (format!("a successful {kind}"), "next sync"),
        _ => return None,
    };
    let annotations = [argocd::HOOK_DELETE_POLICY, argocd::HELM_HOOK_DELETE_POLICY];
    let key = annotations.into_iter().find(|key| object.annotation(key).is_some())?;
    if is_gate(object) {
        let message = format!(
            "this {kind} is a gate: it runs once per name, and again after every sync that fails, whatever has failed"
        );
        let help =
            Help::from("if that is right, ignore this; otherwise make it an ordinary Job in a wave before the rollout")
                .with_plugin("the strategy `hash-name` then runs it once per change");
        return Some(Diagnostic::on_annotation(index, key, message, help).at_level(Level::Info));
    }
    let until = ttl.map(|ttl| format!(", until its TTL deletes it after {ttl} s")).unwrap_or_default();
    let message = format!(
        "no `BeforeHookCreation` in the delete policies: {left} is left behind{until}, and the {finds} finds it instead of running the hook again"
    );
    let item = if key == argocd::HOOK_DELETE_POLICY { "BeforeHookCreation" } else { "before-hook-creation" };
    let plugin = if object.is_job() { "the strategy `hook` does this" } else { "" };
    let help = Help::from(format!("add `{item}` to `{key}` of the {kind}")).with_plugin(plugin);
    Some(Diagnostic::on_annotation(index, key, message, help))
}

/// Whether a Workflow may be deleted by its own TTL, or by that of the template that it refers to.
pub(super) fn is_deleted_by_itself(object: &Object) -> bool {
    let has = |key: &str| object.value().has(&["spec", key]);
    // Without a `spec` this is unknown.
    object.kind() == "Workflow"
        && (object.value().at(&["spec"]).is_none() || has("ttlStrategy") || has("workflowTemplateRef"))
}
