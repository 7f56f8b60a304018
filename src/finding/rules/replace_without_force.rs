//! `replace-without-force`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "replace-without-force",
    level: Level::Error,
    summary: "`Replace=true` without `Force=true` on a Job",
    why: "Argo CD then uses `kubectl replace`, which sends the manifest in place of the live Job. The API server has \
          put a selector and labels into that one, which are immutable and which the manifest lacks, so every sync \
          that applies the Job fails with `field is immutable`, changed or not (argo-cd #5882). \
          In the `syncOptions` of the Application it does that to every Job, also to one with a hash in its name; only \
          `check --application` can see it there.",
    fix: "Remove `Replace=true` and use the strategy `hash-name`, as `auto` does; or `replace`, which adds \
          `Force=true`. Out of the Application's `syncOptions` only its owner can remove it.",
    link: "https://github.com/argoproj/argo-cd/issues/5882",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // A Job without a name is created, not replaced: see `generate-name-without-hook`.
    let named = context.ordinary_jobs().filter(|(_, job)| job.name().is_some());
    let is_of_all = context.has_application_option("Replace=true");
    let replaced = named
        .filter(|(_, job)| (is_of_all || job.has_sync_option("Replace=true")) && !job.has_sync_option("Force=true"));
    replaced
        .map(|(index, job)| {
            if !job.has_sync_option("Replace=true") {
                let message = "`Replace=true` in the Application's `syncOptions`: every sync that applies the live Job fails as immutable";
                let help = "remove it there; an annotation can set it for those objects that need it";
                return Diagnostic::at(index, path!["metadata", "name"], message, help);
            }
            let message =
                "`Replace=true` without `Force=true`: every sync that applies the live Job fails as immutable";
            let help =
                "remove it, or use the strategy `hash-name`, which does; the strategy `replace` adds `Force=true`";
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
