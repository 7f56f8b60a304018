//! `hook-ttl`

use super::ttl_reruns;
use crate::argocd::Fact;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::yaml::Path;

pub(super) const RULE: Rule = Rule {
    id: "hook-ttl",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a short `ttlSecondsAfterFinished` on a hook, with Argo CD before 3.0: the sync can hang",
    why: "If Kubernetes deletes a hook Job before Argo CD has read its result, Argo CD before 3.0 waits for it forever \
          (argo-cd #6880). Since 3.0 a finalizer keeps the finished Job until then \
          (`gitops-engine/pkg/sync/hook/hook.go`). With 3.2.11, 3.5.7 and 3.6.1 a hook with a TTL of 0 seconds ran \
          once per sync, and the sync ended, although the documentation of 3.6 advises against TTLs on hooks.\n\n\
          The finding is reported only if `argocd-version` is below 3.0, and for a TTL of less than ten minutes.",
    fix: "Remove `ttlSecondsAfterFinished`, and delete the Job with `argocd.argoproj.io/hook-delete-policy`.",
    link: "https://github.com/argoproj/argo-cd/issues/6880",
    check: Check::Objects(check),
};

/// A longer TTL than this, in seconds, leaves Argo CD the time to read the result.
const SHORT: i64 = 10 * 60;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let version = context.output.argocd_version;
    if version.has(Fact::HookFinalizer) {
        return Vec::new();
    }
    let is_short = |(_, job): &(usize, &Job)| ttl_reruns::ttl(job).is_some_and(|ttl| (0..SHORT).contains(&ttl));
    let of_job = |(index, _)| {
        let message = format!(
            "`ttlSecondsAfterFinished` on a hook: Argo CD {version} waits forever if the Job is deleted before it has read the result"
        );
        let help = "remove `ttlSecondsAfterFinished`, and set `argocd.argoproj.io/hook-delete-policy: HookSucceeded,BeforeHookCreation`";
        Diagnostic::at(index, Path::of_keys(&ttl_reruns::TTL), message, help)
    };
    context.hook_jobs().filter(is_short).map(of_job).collect()
}
