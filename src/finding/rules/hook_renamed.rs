//! `hook-renamed`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "hook-renamed",
    level: Level::Info,
    summary: "a Sync hook under another name than the Job it is made of",
    why: "When a live ordinary Job becomes a Sync hook of the same name, Argo CD deletes it, runs nothing and reports \
          success. So the hook is written as `<name>-hook`. The live Job of the old name then belongs to nothing: with \
          automated prune it is deleted, without it the Application stays OutOfSync until somebody does.",
    fix: "Sync once with prune, or delete the old Job. For an Application that was never live, `keep-name: true` \
          keeps the name.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let made =
        context.made_hooks().filter(|(_, job, written)| written.name().is_some() && job.name() != written.name());
    made.filter_map(|(index, job, written)| {
        let (new, old) = (job.name()?, written.name()?);
        let message =
            format!("the Sync hook comes out as `{new}`, so that a live Job `{old}` does not swallow its first run");
        let help =
            format!("where `{old}` is live, sync once with prune or delete it; else `keep-name: true` keeps the name");
        Some(Diagnostic::at(index, path!["metadata", "name"], message, help))
    })
    .collect()
}
