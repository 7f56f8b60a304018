//! `kept-name`

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "kept-name",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`keep-name` on a Sync hook that was made from an ordinary Job: if that Job is live, the hook does not run",
    why: "When a live ordinary Job becomes a Sync hook with the same name, Argo CD prunes the Job and uses the \
          result of the pruning as the result of the hook: the old Job is deleted, nothing runs, and the sync \
          reports success (`syncRes` in `gitops-engine/pkg/sync/sync_context.go`).",
    fix: "Use `keep-name` only for Applications that were never live. Otherwise remove it, delete the live Job \
          before the sync, or use the phase PreSync or PostSync.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("kept-name")
        .config(&["strategy: hook", "keep-name: true"], &["strategy: hook", "hook: PreSync"]),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let made =
        context.made_hooks().filter(|(_, job, written)| written.name().is_some() && job.name() == written.name());
    made.map(|(index, job, _)| {
        let name = job.name().unwrap_or("");
        let message =
            format!("`keep-name`: if the ordinary Job `{name}` is live, the first sync deletes it and runs nothing");
        let help = "remove `keep-name: true`, unless the Application was never live";
        Diagnostic::on_name(index, message, help)
    })
    .collect()
}
