//! `ttl-reruns`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::yaml::Path;

pub(super) const RULE: Rule = Rule {
    id: "ttl-reruns",
    level: Level::Warning,
    summary: "`ttlSecondsAfterFinished` on an ordinary Job: it is deleted, missed and run again",
    why: "Once Kubernetes has deleted the finished Job, Argo CD finds it missing and the Application OutOfSync \
          (`controller/state.go`). With self-heal it is created and run again after every such time, without it at the next \
          commit, whatever that changes (argo-cd #8586, #13851). Hooks are not compared and may have one.",
    fix: "Remove `ttlSecondsAfterFinished`; the strategies `hash-name` and `replace` do it. A finished Job costs nothing, and \
          pruning takes it away.",
    link: "https://github.com/argoproj/argo-cd/issues/8586",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let path = ["spec", "ttlSecondsAfterFinished"];
    let kept = context.jobs().filter(|(_, job)| !job.is_hook() && !job.is_skipped());
    let with_ttl = kept.filter_map(|(object, job)| Some((object, job.value().at(&path)?.as_number()?)));
    with_ttl
        .map(|(object, seconds)| {
            let message =
                format!("`ttlSecondsAfterFinished: {seconds}` on a Job that is no hook: once deleted, it is run again");
            Diagnostic::at(
                object,
                Path::of_keys(&path),
                message,
                "remove it, or use the strategy `hash-name`, which does",
            )
        })
        .collect()
}
