//! `force-without-replace`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "force-without-replace",
    level: Level::Warning,
    summary: "`Force=true` without `Replace=true` on a Job",
    why: "`kubectl apply --force` deletes and creates the Job anew when its change is refused. With server-side \
          apply, whether the Job or the Application asks for it, kubectl refuses that option (`--force cannot be used \
          with --server-side`), at the first creation too. Without, it does not wait until the old Job is gone: one \
          with a finalizer fails the sync with `context deadline exceeded`, and the retry creates it.",
    fix: "Use the strategy `hash-name`, or `replace`, which adds `Replace=true`; or add `ServerSideApply=false`.",
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
            let message = format!("`Force=true` without `Replace=true`: {when} the Job cannot even be created");
            let help = "add `ServerSideApply=false`, or use the strategy `hash-name` or `replace`";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
