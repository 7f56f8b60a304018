//! `wave-waits-for-suspended-job`

use crate::argocd::Phase;
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::{Job, Object};
use crate::order::{self, Moment, Task};
use crate::path;
use crate::yaml::Path;

pub(super) const ROW: Row = Row {
    id: "wave-waits-for-suspended-job",
    level: Level::Warning,
    summary: "a suspended Job holds up everything in later waves and phases",
    why: "Before a wave begins, everything of the wave before must be healthy (`gitops-engine/pkg/sync/sync_context.go`). A suspended \
          Job is `Suspended`, which is not healthy and does not pass: the sync waits until somebody resumes it. A Job in the \
          last wave, with no hook in it or after it, is not waited for.",
    fix: "Put the Job into the last wave, with no hook in it or after it, or do without `suspend: true`: a Job that is not meant to \
          run can be left out with `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    judge: Judge::Objects(judge),
};

/// Something that a sync does.
struct Step<'l> {
    moment: Moment,
    index: usize,
    object: &'l Object,
}

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let suspended = |(_, job): &(usize, &Job)| job.is_suspended() && !job.is_hook();
    if !look.jobs().any(|found| suspended(&found)) {
        return Vec::new();
    }
    let steps = steps(look);
    let found = look.jobs().filter(suspended).filter_map(|(index, job)| {
        let moment = order::first(job)?;
        let (other, message) = match later(&steps, moment) {
            Some(next) => {
                (next, format!("a sync waits for this suspended Job before it goes on with {}", next.told(look)))
            }
            None => {
                let hook = hook_beside(&steps, moment)?;
                (hook, format!("a sync waits for this suspended Job together with {}", hook.told(look)))
            }
        };
        let help = "give it the last wave, with no hook in it or after it, or leave it out of the sync with \
                    `argocd.argoproj.io/hook: Skip`";
        Some(Remark::at(index, path!["spec", "suspend"], message, help).with(other.index, Path::of_keys(&NAME)))
    });
    found.collect()
}

const NAME: [&str; 2] = ["metadata", "name"];

/// All steps, without namespaces and definitions: they are moved to the first object that needs them.
fn steps<'l>(look: &Look<'l>) -> Vec<Step<'l>> {
    let step = |task: Task<'_>| {
        let object = look.survey.objects[task.object].on(look.side)?.object();
        let is_moved = matches!(object.kind(), "Namespace" | "CustomResourceDefinition");
        let moment = Moment { phase: task.phase, wave: task.wave };
        (!is_moved).then_some(Step { moment, index: task.object, object })
    };
    order::tasks(look.survey, look.side).into_iter().filter_map(step).collect()
}

/// What comes after a moment of a sync that goes well.
fn later<'s, 'l>(steps: &'s [Step<'l>], moment: Moment) -> Option<&'s Step<'l>> {
    steps.iter().find(|step| step.moment.phase != Phase::SyncFail && step.moment > moment)
}

/// A hook of the same moment, when that is not the only one of the sync: then the end of the last wave is waited for too.
fn hook_beside<'s, 'l>(steps: &'s [Step<'l>], moment: Moment) -> Option<&'s Step<'l>> {
    let is_only = steps.iter().all(|step| step.moment == moment);
    steps.iter().find(|step| !is_only && step.moment == moment && step.object.is_hook())
}

impl Step<'_> {
    /// ``Job `smoke` in PostSync wave 0: web.yaml:4:9``
    fn told(&self, look: &Look<'_>) -> String {
        let name = self.object.name().or(self.object.generate_name()).unwrap_or("");
        let place = look.place(self.index, &Path::of_keys(&NAME)).map(|place| format!(": {place}")).unwrap_or_default();
        format!("{} `{name}` in {}{place}", self.object.kind(), self.moment)
    }
}
