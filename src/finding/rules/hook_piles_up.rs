//! `hook-piles-up`

use crate::argocd::HookDeletePolicy;
use crate::finding::{Check, Context, Diagnostic, Level, Rule, volatile};
use crate::hash;
use crate::kubernetes::Job;
use crate::path;
use crate::yaml::Value;

pub(super) const RULE: Rule = Rule {
    id: "hook-piles-up",
    level: Level::Warning,
    summary: "a hook under a new name each time, which nothing deletes",
    why: "Hooks are never pruned, and `BeforeHookCreation` deletes only what has the same name \
          (`gitops-engine/pkg/sync/sync_context.go`). So each run of a hook with a `generateName`, and each version of \
          a hook whose name changes with its content, stays in the cluster until the Application is deleted (argo-cd \
          #4295).",
    fix: "Add `HookSucceeded` to `argocd.argoproj.io/hook-delete-policy`, or set `ttlSecondsAfterFinished`: the \
          strategy `generate-name` sets it to a day, the parameter `ttl` to anything. Or give the hook a fixed name.",
    link: "https://github.com/argoproj/argo-cd/issues/4295",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.hook_jobs().filter_map(|(index, job)| of_hook(context, index, job)).collect()
}

fn of_hook(context: &Context<'_>, index: usize, job: &Job) -> Option<Diagnostic> {
    let has_ttl = job.value().at(&["spec", "ttlSecondsAfterFinished"]).is_some_and(|found| *found != Value::Null);
    if has_ttl || job.delete_policies().contains(&HookDeletePolicy::HookSucceeded) {
        return None;
    }
    let help = "add `HookSucceeded` to its delete policies, or set `ttlSecondsAfterFinished`";
    if job.name().is_none() {
        let prefix = job.generate_name()?;
        let which =
            if job.delete_policies().contains(&HookDeletePolicy::HookFailed) { "successful run" } else { "run" };
        let message = format!("nothing deletes the hooks that are generated from `{prefix}`: each {which} leaves one");
        return Some(Diagnostic::at(index, path!["metadata", "generateName"], message, help));
    }
    let name = context.base_name(index, job)?;
    let hash = name.rsplit_once('-').map(|(_, last)| last).filter(|last| looks_hashed(last));
    let (ending, what) = match hash {
        Some(hash) => (hash, "a content hash"),
        None => volatile::ending(name).map(|(ending, found)| (ending, found.as_str()))?,
    };
    let message =
        format!("`{ending}` in the name of a hook looks like {what}: hooks are never pruned, so each name stays");
    Some(Diagnostic::at(index, path!["metadata", "name"], message, format!("{help}, or give it a fixed name")))
}

/// True for a hash as kubectl, kustomize and this program write it.
fn looks_hashed(text: &str) -> bool {
    text.len() == hash::LENGTH
        && text.bytes().all(|byte| hash::ALPHABET.contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_digit())
}
