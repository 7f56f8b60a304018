//! `hook-without-deadline`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::path;
use crate::yaml::Value;

pub(super) const RULE: Rule = Rule {
    id: "hook-without-deadline",
    level: Level::Info,
    summary: "a hook Job without `activeDeadlineSeconds` can hold the sync for ever",
    why: "A sync waits for its hooks. A Job whose pod cannot start (an image that cannot be pulled, a missing Secret, \
          no room on any node) neither succeeds nor fails, so the sync runs on, and no other begins, not even one that \
          would mend it, until somebody terminates it (argo-cd #6880, #4979).\n\nThe level is info, because most hooks \
          have none and most end.",
    fix: "Set `spec.activeDeadlineSeconds`, or the parameter `deadline` for all hooks that have none.",
    link: "https://github.com/argoproj/argo-cd/issues/6880",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let path = ["spec", "activeDeadlineSeconds"];
    let pods = ["spec", "template", "spec", "activeDeadlineSeconds"];
    let has = |job: &Job, path: &[&str]| job.value().at(path).is_some_and(|found| *found != Value::Null);
    let endless = context.hook_jobs().filter(|(_, job)| !job.is_suspended() && !has(job, &path) && !has(job, &pods));
    endless
        .map(|(index, _)| {
            let message = "a hook without `activeDeadlineSeconds`: while its pod cannot start, the sync does not end";
            Diagnostic::at(
                index,
                path!["metadata", "name"],
                message,
                "set it, or the parameter `deadline` for all hooks that have none",
            )
        })
        .collect()
}
