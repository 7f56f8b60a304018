//! `replace-without-force`

use kube_jobs::argocd;
use text::Help;

use super::HASH_NAME_DOES_THIS;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-without-force",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Error,
    summary: "`Replace=true` without `Force=true` on a Job",
    why: "Argo CD then uses `kubectl replace`, which puts the manifest in place of the live Job. The API server has \
          added a selector and labels to the live Job. They are immutable and are not in the manifest, so every sync \
          that applies the Job fails with `field is immutable`, whether or not the Job has changed (argo-cd #5882). \
          In the `syncOptions` of the Application, `Replace=true` affects every Job, even one with a hash in its \
          name; only `check --application` can see it there.",
    fix: "Remove `Replace=true`. With the plugin, the strategy `hash-name`, which `auto` chooses, removes it, and \
          the strategy `replace` adds `Force=true`. In the Application's `syncOptions`, only the owner of the \
          Application can remove it.",
    link: "https://github.com/argoproj/argo-cd/issues/5882",
    example: super::example!("replace-without-force").note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // A Job without a name is created, not replaced: `generate-name-without-hook` reports it.
    let named = context.ordinary_jobs().filter(|(_, job)| job.name().is_some());
    let is_of_all = context.has_application_option("Replace=true");
    let replaced = named
        .filter(|(_, job)| (is_of_all || job.has_sync_option("Replace=true")) && !job.has_sync_option("Force=true"));
    replaced
        .map(|(index, job)| {
            if !job.has_sync_option("Replace=true") {
                let message = "`Replace=true` in the Application's `syncOptions`: once this Job exists, every sync that applies it \
                               fails with `field is immutable`";
                let help = "remove `Replace=true` from the Application, and set it with an annotation on the resources that need it";
                return Diagnostic::on_name(index, message, help);
            }
            let message = "`Replace=true` without `Force=true`: once this Job exists, every sync that applies it fails with \
                           `field is immutable`";
            let help = Help::from("remove `Replace=true` from the Job").with_plugin(HASH_NAME_DOES_THIS);
            Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help)
        })
        .collect()
}
