//! `hook-change-unseen`

use goyaml::{Path, path};
use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;
use text::Help;

use crate::survey::Side;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-change-unseen",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "a commit that changes only this hook does not trigger auto-sync",
    why: "Argo CD does not compare hooks, and auto-sync starts only if the comparison finds a difference \
          (`resState.Hook` in `controller/state.go`). A new image of a hook does not run until something else \
          changes too, or somebody starts a sync (argo-cd #9830, #13295, #21939).",
    fix: "Add an ordinary ConfigMap that changes whenever the hook changes. Or let the plugin render this \
          Application: it adds such a ConfigMap (parameter `trigger`, on by default). That makes the Application \
          OutOfSync, and the sync that follows runs the hooks. The plugin can also make the Job an ordinary one, \
          with `argocd-jobs/strategy: hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/9830",
    example: super::example!("hook-change-unseen").config(&["trigger: false"], &["trigger: true"]).note(
        "`true` is the default. Without the plugin, change something in the ConfigMap whenever you change the hook.",
    ),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // With the trigger this is solved for nearly every output with hooks, so solved findings are not reported. Without an ordinary object,
    // `hooks-only` reports it.
    if context.side == Side::Written || !context.has_ordinary_object() {
        return Vec::new();
    }
    let message = "a commit that changes only this hook does not trigger auto-sync";
    let help = Help::from("add an ordinary ConfigMap that changes together with the hook").with_plugin(ADDS_TRIGGER);
    context
        .sync_hooks()
        .filter(|(index, _)| !context.is_in_trigger(*index))
        .map(|(index, object)| Diagnostic::at(index, hook_path(object), message, help.clone()))
        .collect()
}

/// What the plugin does about a change of hooks that Argo CD does not see.
pub(super) const ADDS_TRIGGER: &str = "the parameter `trigger` (on by default) adds such a ConfigMap";

/// The path of the annotation that makes the object a hook.
pub(super) fn hook_path(object: &Object) -> Path {
    let key = if object.annotation(argocd::HOOK).is_some() { argocd::HOOK } else { argocd::HELM_HOOK };
    path!["metadata", "annotations", key]
}
