//! `force-without-replace`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "force-without-replace",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`Force=true` without `Replace=true` on a Job",
    why: "When the API server rejects a change, `kubectl apply --force` deletes and recreates the Job. With \
          server-side apply, whether the Job or the Application asks for it, kubectl rejects this option (`--force \
          cannot be used with --server-side`), even when the Job is first created. Without server-side apply, \
          kubectl does not wait until the old Job is gone: if that Job has a finalizer, the sync fails with `context \
          deadline exceeded`, and the retry creates the new one.",
    fix: "Add `ServerSideApply=false`. Or, with the plugin, use the strategy `hash-name`, or `replace`, which adds \
          `Replace=true`.",
    link: "https://github.com/argoproj/argo-cd/issues/29624",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let forced = context.ordinary_jobs().filter(|(_, job)| {
        let has = |option| job.has_sync_option(option);
        let is_replaced = has("Replace=true") || context.has_application_option("Replace=true");
        has("Force=true") && !is_replaced && !has("ServerSideApply=false")
    });
    forced
        .map(|(index, job)| {
            let option = "ServerSideApply=true";
            let when = match job.has_sync_option(option) || context.has_application_option(option) {
                true => "with `ServerSideApply=true`",
                false => "in an Application with server-side apply",
            };
            let message = format!("`Force=true` without `Replace=true`: {when}, the Job cannot even be created");
            let help = "add `ServerSideApply=false` to the Job's sync options; or, with the plugin, use the strategy `hash-name` \
                        or `replace`";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
