//! `replace-without-force`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-without-force",
    level: Level::Error,
    summary: "`Replace=true` without `Force=true` on a Job",
    why: "Argo CD then uses `kubectl replace`, which sends the manifest in place of the live Job. The API server has \
          put a selector and labels into that one, which are immutable and which the manifest lacks, so every sync \
          that applies the Job fails with `field is immutable`, changed or not (argo-cd #5882).",
    fix: "Remove `Replace=true` and use the strategy `hash-name`, as `auto` does; or `replace`, which adds \
          `Force=true`.",
    link: "https://github.com/argoproj/argo-cd/issues/5882",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // A Job without a name is created, not replaced: see `generate-name-without-hook`.
    let named = context.ordinary_jobs().filter(|(_, job)| job.name().is_some());
    let replaced = named.filter(|(_, job)| job.has_sync_option("Replace=true") && !job.has_sync_option("Force=true"));
    replaced
        .map(|(index, _)| {
            let message =
                "`Replace=true` without `Force=true`: every sync that applies the live Job fails as immutable";
            let help =
                "remove it, or use the strategy `hash-name`, which does; the strategy `replace` adds `Force=true`";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
