//! `wave-waits-for-suspended-job`

use crate::argocd::Phase;
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Job;
use crate::order::{self, Moment, Task};

pub(super) const ROW: Row = Row {
    id: "wave-waits-for-suspended-job",
    level: Level::Warning,
    summary: "a suspended Job holds up everything in later waves and phases",
    why: "Before a wave begins, everything of the wave before must be healthy (`gitops-engine/pkg/sync/sync_context.go`). A suspended \
          Job is `Suspended`, which is not healthy and does not pass: the sync waits until somebody resumes it. In the last wave, \
          with no hook after it, a Job is not waited for.",
    fix: "Put the Job into the last wave, with no PostSync hook behind it, or do without `suspend: true`: a Job that is not meant to \
          run can be left out with `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let suspended = |(_, job): &(usize, &Job)| job.is_suspended() && !job.is_hook();
    if !look.jobs().any(|found| suspended(&found)) {
        return Vec::new();
    }
    let tasks: Vec<Task<'_>> = order::tasks(look.survey, look.side);
    let found = look.jobs().filter(suspended).filter_map(|(index, job)| {
        let moment = order::first(job)?;
        // A sync that fails is another thing.
        let is_later = |task: &&Task<'_>| task.phase != Phase::SyncFail && at(task) > moment;
        let next = tasks.iter().find(is_later)?;
        Some(remark(index, next, look))
    });
    found.collect()
}

fn at(task: &Task<'_>) -> Moment {
    Moment { phase: task.phase, wave: task.wave }
}

fn remark(index: usize, next: &Task<'_>, look: &Look<'_>) -> Remark {
    let path = ["spec", "suspend"];
    let name = ["metadata", "name"];
    let kind = look.survey.objects[next.object].on(look.side).map_or("", |found| found.object().kind());
    let place = look.place(next.object, &name).map(|place| format!(": {place}")).unwrap_or_default();
    let message = format!(
        "the sync waits for this suspended Job before it goes on with {kind} `{}` in {}{place}",
        next.name,
        at(next)
    );
    let help = "give it the last wave, or leave it out of the sync with `argocd.argoproj.io/hook: Skip`";
    Remark::at(index, &path, message, help).with(next.object, &name)
}
