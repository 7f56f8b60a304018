//! `rollout-skips-failed-job`

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Job;
use text::Help;

use crate::survey::sync_order::Moment;
use crate::workloads::{self, Workload};
use crate::{Check, Context, Diagnostic, Level, Rule};

/// The sync option by which Argo CD applies only what differs.
const OPTION: &str = "ApplyOutOfSyncOnly=true";

pub(super) const RULE: Rule = Rule {
    id: "rollout-skips-failed-job",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Job before a rollout, in an Application with `ApplyOutOfSyncOnly=true`: the sync after a failed one skips the Job and rolls out",
    why: "A sync fails when a Job in an early wave fails, and rolls out nothing. With `ApplyOutOfSyncOnly=true`, the next sync \
          applies only what is OutOfSync (`filterOutOfSyncTasks` in `gitops-engine/pkg/sync/sync_context.go`). The failed Job \
          is not: it is in the cluster as it is in Git. So this sync skips the Job, does not look at its health, and rolls out \
          what should have waited for it. It holds for a Job with a hash in its name, too. Hooks are never skipped \
          (seen with Argo CD 3.2, 3.5 and 3.6).\n\n\
          The finding is reported only if the manifest of the Application is known.",
    fix: "Remove `ApplyOutOfSyncOnly=true` from the `syncOptions` of the Application. Or make the Job a PreSync hook: with the plugin, \
          set `argocd-jobs/strategy: hook` and `argocd-jobs/hook: PreSync` on it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#selective-sync",
    example: super::example!("rollout-skips-failed-job").sync_option(OPTION),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if !context.has_application_option(OPTION) || context.has_one_moment() {
        return Vec::new();
    }
    let mut rollouts = workloads::workloads(context);
    rollouts.retain(|workload| workload.moment.phase == Phase::Sync);
    rollouts.sort_by_key(|workload| (workload.moment, workload.object.name()));
    let jobs = context.ordinary_jobs().filter(|(_, job)| job.name().is_some() && !job.is_suspended());
    jobs.filter_map(|(index, job)| of_job(context, index, job, &rollouts)).collect()
}

/// `rollouts` is sorted by moments.
fn of_job(context: &Context<'_>, index: usize, job: &Job, rollouts: &[Workload<'_>]) -> Option<Diagnostic> {
    let moment = Moment { phase: Phase::Sync, wave: job.wave() };
    let first = rollouts.get(rollouts.partition_point(|workload| workload.moment <= moment))?;
    // What differs at each rendering is OutOfSync at once, and never skipped.
    if context.survey.random(index).is_some() {
        return None;
    }
    let message = format!(
        "`{OPTION}` in the Application's `syncOptions`: if this Job fails, the next sync skips it and rolls out {}{} in {}",
        first.object.described(),
        context.in_brackets(first.index),
        first.moment
    );
    let help = format!("remove `{OPTION}` from the Application, or make the Job a PreSync hook, which no sync skips");
    let help = Help::from(help).with_plugin("the strategy `hook` makes it such a hook");
    Some(Diagnostic::on_name(index, message, help).with_name_of(first.index))
}
