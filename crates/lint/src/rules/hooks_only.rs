//! `hooks-only`

use text::Help;

use super::hook_change_unseen::{ADDS_TRIGGER, hook_path};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hooks-only",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Warning,
    summary: "nothing but hooks: auto-sync never starts, not even for the first sync",
    why: "Argo CD does not compare hooks, and auto-sync starts only if the comparison finds a difference (`autoSync` \
          in `controller/appcontroller.go`). An Application that consists only of hooks is `Synced` from the \
          beginning. Its hooks run only when somebody starts a sync (argo-cd #9830).",
    fix: "Add an ordinary ConfigMap that changes together with the hooks. Or let the plugin render this Application: \
          it adds such a ConfigMap (parameter `trigger`, on by default), and that makes the Application OutOfSync. \
          The plugin can also make the Job an ordinary one, with `argocd-jobs/strategy: hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/9830",
    example: super::example!("hooks-only").note(
        "The plugin adds such a ConfigMap for you (parameter `trigger`). Without the plugin, change its data whenever you change the hook.",
    ),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_ordinary_object() || context.has_trigger() || context.survey.application.may_have_more {
        return Vec::new();
    }
    let message = "every resource here is a hook, so auto-sync never starts, not even for the first sync";
    let help = Help::from("add an ordinary ConfigMap that changes together with the hooks").with_plugin(ADDS_TRIGGER);
    let diagnostic = |(index, object)| Diagnostic::at(index, hook_path(object), message, help).solved_by("the trigger");
    // Report only the first Job, or else the first hook.
    context.sync_hooks().min_by_key(|(_, object)| !object.is_job()).map(diagnostic).into_iter().collect()
}
