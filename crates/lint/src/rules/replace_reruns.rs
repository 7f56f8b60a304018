//! `replace-reruns`

use kube_jobs::argocd;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-reruns",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Info,
    summary: "`Force=true,Replace=true` on a Job: it runs at every sync that applies it",
    why: "Argo CD deletes and recreates the live Job at every sync, whether or not the Job has changed, even for an \
          unrelated commit. A running Job is killed (`gitops-engine/pkg/sync/sync_context.go`). With \
          `ApplyOutOfSyncOnly=true` in the Application, this happens only if the Job is OutOfSync.",
    fix: "If the Job should run once per change, use the strategy `hash-name` of the plugin.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    example: super::example!("replace-reruns").config(&["argocd-version: '3.5'"], &[]).note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let message = "`Force=true,Replace=true`: the Job runs at every sync that applies it, and a running Job is killed";
    let help = Help::of_plugin("use the strategy `hash-name` if the Job should run once per change");
    let of_job = |(index, _)| Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help.clone());
    context.replaced_jobs().map(of_job).collect()
}
