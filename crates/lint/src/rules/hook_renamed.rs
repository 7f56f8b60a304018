//! `hook-renamed`

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-renamed",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Info,
    summary: "a Sync hook whose name differs from that of the Job it was made from",
    why: "When a live ordinary Job becomes a Sync hook with the same name, Argo CD deletes it, runs nothing and \
          reports success. So the plugin names the hook `<name>-hook`. The live Job with the old name is then no \
          longer in the manifests: with automated prune it is deleted; otherwise the Application stays OutOfSync \
          until somebody deletes it.",
    fix: "Sync once with prune, or delete the old Job. If the Application was never live, `keep-name: true` keeps \
          the name.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("hook-renamed").note("A PreSync or PostSync hook keeps its name."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let made =
        context.made_hooks().filter(|(_, job, written)| written.name().is_some() && job.name() != written.name());
    made.filter_map(|(index, job, written)| {
        let (new, old) = (job.name()?, written.name()?);
        let message =
            format!("the Sync hook is renamed to `{new}`, because a live Job `{old}` would prevent its first run");
        let help = format!(
            "if Job `{old}` is live, sync once with prune or delete it; if it was never live, `keep-name: true` keeps the name"
        );
        Some(Diagnostic::on_name(index, message, help))
    })
    .collect()
}
