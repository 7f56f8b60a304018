//! `hook-without-deadline`

use goyaml::Path;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-without-deadline",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Info,
    summary: "a hook Job without `activeDeadlineSeconds`, which can block the sync forever",
    why: "A sync waits for its hooks. A Job whose pod cannot start (an image that cannot be pulled, a missing \
          Secret, no room on any node) neither succeeds nor fails. The sync then keeps running, and no other sync \
          starts, not even one that would fix the Job, until somebody terminates it (argo-cd #6880, #4979).\n\n\
          `activeDeadlineSeconds` in the pod template is not enough. It counts from the start time of the pod, which \
          the kubelet sets (`pkg/kubelet/active_deadline.go` in Kubernetes): a pod that is never scheduled has none.\n\n\
          The level is info because most hooks have no deadline, and most of them finish.",
    fix: "Set `spec.activeDeadlineSeconds` on the Job. With the plugin, the parameter `deadline` sets it on all \
          hooks that have none.",
    link: "https://github.com/argoproj/argo-cd/issues/6880",
    example: super::example!("hook-without-deadline"),
    check: Check::Objects(check),
};

const DEADLINE: &str = "the parameter `deadline` sets it on all hooks";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let path = ["spec", "activeDeadlineSeconds"];
    let pods = ["spec", "template", "spec", "activeDeadlineSeconds"];
    let endless = context.hook_jobs().filter(|(_, job)| !job.is_suspended() && !job.value().has(&path));
    endless
        .map(|(index, job)| {
            if job.value().has(&pods) {
                let message = "`activeDeadlineSeconds` is set on the pod, not on the Job: if the pod is never scheduled, the sync never ends";
                let help = Help::from("set `spec.activeDeadlineSeconds` on the Job").with_plugin(DEADLINE);
                return Diagnostic::at(index, Path::of_keys(&pods), message, help).at_key();
            }
            let message = "the hook has no `activeDeadlineSeconds`: if its pod never starts, the sync never ends";
            let help = Help::from("set `activeDeadlineSeconds` on the Job").with_plugin(DEADLINE);
            Diagnostic::on_name(index, message, help)
        })
        .collect()
}
