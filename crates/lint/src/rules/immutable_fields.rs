//! `immutable-fields`

use goyaml::Change;
use kube_jobs::argocd;
use kube_jobs::kubernetes::{Job, volatile};
use rewrite::strategy::remembered_name;
use text::Help;

use super::HASH_NAME_DOES_THIS;
use crate::diagnostic::annotation;
use crate::survey::Random;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "immutable-fields",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Error,
    summary: "an ordinary Job with a fixed name: the first change to it fails",
    why: "Almost every field of a Job is immutable, above all the pod template. Argo CD applies a changed Job onto \
          the live one, and the API server rejects it: `field is immutable`. The sync fails, and keeps failing until \
          somebody deletes the Job.\n\n\
          This finding leaves out a Job whose `ttlSecondsAfterFinished` is at most one day: after that time the \
          change creates the Job again, and `ttl-reruns` reports it. It also leaves out a rendered Job whose name \
          ends in a checksum, which changes with the content.",
    fix: "Give the Job another name with every change. The plugin does this with the strategy `hash-name`, which \
          `auto` chooses.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/",
    example: super::example!("immutable-fields").note(
        "As a hook, the Job is deleted and recreated at every sync. With the plugin you change nothing: it gives a changed Job a new \
         name, so that the Job runs once per change.",
    ),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // A hook is not compared, so something else has to start the sync.
    let is_compared = context.ordinary_objects().any(|(_, object)| !object.is_job());
    let fixed = context.ordinary_jobs().filter(|(index, job)| is_fixed(context, *index, job));
    fixed
        .map(|(index, job)| {
            let name = job.name().unwrap_or("");
            let message = format!("the first change to Job `{name}` will fail with `field is immutable`");
            let help = Help::from("rename the Job whenever you change it").with_plugin(HASH_NAME_DOES_THIS);
            let changes = if is_compared { hook(job) } else { Vec::new() };
            Diagnostic::on_name(index, message, help).fixed_by(changes)
        })
        .collect()
}

/// The changes that make a Job a hook. Empty if it has annotations of a hook, which then are wrong in some other way, and if it starts no pod: a sync
/// would wait for such a hook forever.
fn hook(job: &Job) -> Vec<Change> {
    let has = |key| job.annotation(key).is_some();
    if !job.starts_pods() || [argocd::HOOK, argocd::HOOK_DELETE_POLICY, argocd::HELM_HOOK].into_iter().any(has) {
        return Vec::new();
    }
    let changes = [(argocd::HOOK, "Sync"), (argocd::HOOK_DELETE_POLICY, "BeforeHookCreation")];
    changes.map(|(key, value)| annotation(key, value.to_owned())).to_vec()
}

/// Whether the name of a Job stays the same when the content changes, and the Job is updated rather than replaced.
fn is_fixed(context: &Context<'_>, index: usize, job: &Job) -> bool {
    let carries_hash = remembered_name(job).is_some_and(|name| Some(name) != job.name());
    let changes = context.base_name(index, job).is_some_and(|name| {
        volatile::ending(name).is_some() || context.is_rendered(index) && volatile::ends_in_checksum(name)
    });
    let is_deleted_soon = job.short_ttl().is_some();
    // Strategies do not change Jobs that have an owner; `owner-references` reports them.
    let may_stay = job.name().is_some() && !changes && !job.is_owned() && !is_deleted_soon;
    // `random-value` reports these, and says what happens.
    let is_random = matches!(context.survey.random(index), Some(Random::Content | Random::Name));
    // A renamed Job in `baseline` keeps its name until its content changes, and then gets another one.
    let is_planned = context.strategy(index).is_some() && !context.is_renamed(index);
    may_stay && !is_random && !carries_hash && is_planned && !context.has_replace_option(job)
}
