//! `hook-piles-up`

use goyaml::path;
use kube_jobs::argocd::HookDeletePolicy;
use kube_jobs::kubernetes::Object;
use rewrite::strategy::gate;

use super::hook_not_recreated::is_deleted_by_itself;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-piles-up",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a hook that gets a new name each time and is never deleted",
    why: "Hooks are never pruned, and `BeforeHookCreation` deletes only a hook with the same name \
          (`gitops-engine/pkg/sync/sync_context.go`). So each run of a hook with a `generateName`, each version \
          of a hook whose name changes with its content, and each rendering of one whose name has a random part, is left in the cluster until the Application is deleted \
          (argo-cd #4295).",
    fix: "Add `HookSucceeded` to `argocd.argoproj.io/hook-delete-policy`, set `ttlSecondsAfterFinished`, or give the \
          hook a fixed name. With the plugin, the strategy `generate-name` sets a TTL of one day, and the parameter \
          `ttl` sets any other.",
    link: "https://github.com/argoproj/argo-cd/issues/4295",
    example: super::example!("hook-piles-up"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.hooks().filter_map(|(index, object)| of_hook(context, index, object)).collect()
}

fn of_hook(context: &Context<'_>, index: usize, object: &Object) -> Option<Diagnostic> {
    let has_ttl = object.value().has(&["spec", "ttlSecondsAfterFinished"]);
    let policies = object.delete_policies();
    if has_ttl || is_deleted_by_itself(object) || policies.contains(&HookDeletePolicy::HookSucceeded) {
        return None;
    }
    let (kind, is_job) = (object.kind(), object.is_job());
    let all = if is_job { "Jobs" } else { "hooks" };
    // An operator may delete objects of other kinds; the manifests do not show it.
    let level = if is_job || kind == "Pod" { Level::Warning } else { Level::Info };
    let is_deleted_in_time = context.waits_for(object) || !object.is_running_hook();
    let help = if gate::is_gate(object) { of_gate(kind) } else { ways_out(object, is_deleted_in_time) };
    if object.name().is_none() {
        let prefix = object.generate_name()?;
        let by = if level == Level::Info { " by Argo CD" } else { "" };
        let message = if policies.contains(&HookDeletePolicy::HookFailed) {
            format!(
                "{all} generated from `{prefix}` are deleted{by} only if the sync fails: every successful sync leaves one behind"
            )
        } else {
            format!("{all} generated from `{prefix}` are never deleted{by}: every sync leaves one behind")
        };
        return Some(Diagnostic::at(index, path!["metadata", "generateName"], message, help).at_level(level));
    }
    if let Some(random) = context.survey.random_name(index) {
        let when = if random.is_dated { "on another day" } else { "at every rendering" };
        let message =
            format!("the name of this hook differs {when}: hooks are never pruned, so the {all} with old names stay");
        return Some(Diagnostic::on_name(index, message, ways_out(object, is_deleted_in_time)).at_level(level));
    }
    let name = context.base_name(index, object)?;
    let (ending, what) = gate::changing_end(name)?;
    let message = format!(
        "`{ending}` in the name of this hook looks like {what}: hooks are never pruned, so the {all} with old names stay"
    );
    Some(Diagnostic::on_name(index, message, help).at_level(level))
}

/// The help line for a gate: what deletes it makes it run again.
fn of_gate(kind: &str) -> String {
    format!(
        "delete each {kind} with an old name by hand, or leave it: `HookSucceeded` or a TTL would make the current one run again"
    )
}

/// The help line: ways to get old hooks deleted.
fn ways_out(object: &Object, is_deleted_in_time: bool) -> String {
    let kind = object.kind();
    let mut ways = Vec::new();
    // A sync that does not wait for a hook would delete it while it runs.
    if is_deleted_in_time {
        ways.push(format!("add `HookSucceeded` to `argocd.argoproj.io/hook-delete-policy` of the {kind}"));
    }
    match kind {
        "Job" if object.is_job() => ways.push("set `ttlSecondsAfterFinished`".to_owned()),
        "Workflow" => ways.push("set `ttlStrategy`".to_owned()),
        _ => {}
    }
    if object.name().is_some() || ways.is_empty() {
        ways.push(format!("give the {kind} a fixed name"));
    }
    ways.join(", or ")
}
