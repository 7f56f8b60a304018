//! `ttl-reruns`

use goyaml::Path;
use kube_jobs::kubernetes::job::ONE_DAY;
use text::Help;

use super::HASH_NAME_DOES_THIS;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "ttl-reruns",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`ttlSecondsAfterFinished` on an ordinary Job: after the TTL deletes it, it runs again",
    why: "After Kubernetes has deleted the finished Job, Argo CD finds it missing and the Application OutOfSync \
          (`controller/state.go`). With self-heal, the Job is created and runs again each time. Without self-heal, \
          that happens at the next commit, whatever it changes (argo-cd #8586, #13851). Hooks are not compared, so \
          they can have a TTL. While the finished Job still exists, a change to it fails with `field is immutable`.\n\n\
          If the Job is deleted before Argo CD has seen it finish, and another wave follows, the sync fails (before \
          Argo CD 3.4 it waits forever).",
    fix: "Remove `ttlSecondsAfterFinished`. With the plugin, the strategies `hash-name` and `replace` do this. A \
          finished Job costs nothing, and pruning removes it.",
    link: "https://github.com/argoproj/argo-cd/issues/8586",
    example: super::example!("ttl-reruns"),
    check: Check::Objects(check),
};

/// The path of the TTL for a finished Job.
pub(super) const TTL: [&str; 2] = ["spec", "ttlSecondsAfterFinished"];

const ONE_HOUR: i64 = 60 * 60;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let kept = context.jobs().filter(|(_, job)| !job.is_hook() && !job.is_skipped());
    // Sync windows may stop self-heal.
    let sync = context.survey.application.sync.as_ref().filter(|sync| sync.windows.is_none());
    let automated = sync.and_then(|sync| sync.automated);
    let is_healed = automated.is_some_and(|automated| automated.self_heal);
    kept.filter_map(|(object, job)| Some(diagnostic(object, job.ttl()?, is_healed))).collect()
}

/// The finding about a TTL in seconds. `is_healed` says that the Application has self-heal.
fn diagnostic(object: usize, ttl: i64, is_healed: bool) -> Diagnostic {
    // `immutable-fields` reports longer TTLs. A shorter TTL deletes the Job before anybody changes it.
    let until_then = if (ONE_HOUR + 1..=ONE_DAY).contains(&ttl) {
        "; until then, a change to the Job fails with `field is immutable`"
    } else {
        ""
    };
    let then = if is_healed {
        format!(
            "about {ttl} s after each run, it runs again, without any commit: the TTL deletes it, and self-heal creates it again"
        )
    } else {
        "after the TTL deletes it, Argo CD creates and runs it again".to_owned()
    };
    let message = format!("`ttlSecondsAfterFinished` on a Job that is not a hook: {then}{until_then}");
    let help = Help::from("remove `ttlSecondsAfterFinished` from the Job").with_plugin(HASH_NAME_DOES_THIS);
    Diagnostic::at(object, Path::of_keys(&TTL), message, help)
}
