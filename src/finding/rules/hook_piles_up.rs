//! `hook-piles-up`

use crate::argocd::HookDeletePolicy;
use crate::finding::{Check, Context, Diagnostic, Level, Rule, volatile};
use crate::hash;
use crate::kubernetes::Job;
use crate::path;
use crate::yaml::Value;

pub(super) const RULE: Rule = Rule {
    id: "hook-piles-up",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a hook that gets a new name each time and is never deleted",
    why: "Hooks are never pruned, and `BeforeHookCreation` deletes only a hook with the same name \
          (`gitops-engine/pkg/sync/sync_context.go`). So each run of a hook with a `generateName`, and each version \
          of a hook whose name changes with its content, is left in the cluster until the Application is deleted \
          (argo-cd #4295).",
    fix: "Add `HookSucceeded` to `argocd.argoproj.io/hook-delete-policy`, set `ttlSecondsAfterFinished`, or give the \
          hook a fixed name. With the plugin, the strategy `generate-name` sets a TTL of one day, and the parameter \
          `ttl` sets any other.",
    link: "https://github.com/argoproj/argo-cd/issues/4295",
    example: super::example!("hook-piles-up"),
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
    let help =
        "add `HookSucceeded` to `argocd.argoproj.io/hook-delete-policy` of the Job, or set `ttlSecondsAfterFinished`";
    if job.name().is_none() {
        let prefix = job.generate_name()?;
        let message = if job.delete_policies().contains(&HookDeletePolicy::HookFailed) {
            format!(
                "Jobs generated from `{prefix}` are deleted only if the sync fails: every successful sync leaves one behind"
            )
        } else {
            format!("Jobs generated from `{prefix}` are never deleted: every sync leaves one behind")
        };
        return Some(Diagnostic::at(index, path!["metadata", "generateName"], message, help));
    }
    let name = context.base_name(index, job)?;
    let hash = name.rsplit_once('-').map(|(_, last)| last).filter(|last| looks_hashed(last));
    let (ending, what) = match hash {
        Some(hash) => (hash, "a content hash"),
        None => volatile::ending(name).map(|(ending, found)| (ending, found.as_str()))?,
    };
    let message = format!(
        "`{ending}` in the name of this hook looks like {what}: hooks are never pruned, so the Jobs with old names stay"
    );
    Some(Diagnostic::at(index, path!["metadata", "name"], message, format!("{help}, or give the Job a fixed name")))
}

/// True for a hash as kubectl, kustomize and this program write it.
fn looks_hashed(text: &str) -> bool {
    text.len() == hash::LENGTH
        && text.bytes().all(|byte| hash::ALPHABET.contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_digit())
}
