//! `kept-name`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "kept-name",
    level: Level::Warning,
    summary: "`keep-name` on a Sync hook made of an ordinary Job: where that one is live, the hook does not run",
    why: "When a live ordinary Job becomes a Sync hook of the same name, Argo CD prunes the Job and takes the result \
          of that for the hook's: the old Job is deleted, nothing runs, and the sync reports success (`syncRes` in \
          `gitops-engine/pkg/sync/sync_context.go`).",
    fix: "Leave `keep-name` to Applications that were never live. Elsewhere remove it, delete the live Job before the \
          sync, or choose the phase PreSync or PostSync.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let made =
        context.made_hooks().filter(|(_, job, written)| written.name().is_some() && job.name() == written.name());
    made.map(|(index, job, _)| {
        let name = job.name().unwrap_or("");
        let message =
            format!("`keep-name`: where the ordinary Job `{name}` is live, the first sync deletes it and runs nothing");
        let help = "remove `keep-name`, unless the Application was never live";
        Diagnostic::at(index, path!["metadata", "name"], message, help)
    })
    .collect()
}
