//! `wave-waits-for-suspended-job`

use std::collections::BTreeMap;
use std::ops::Bound;

use goyaml::{Path, path};
use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::{Job, Object};

use crate::survey::sync_order::{self, Moment, Task};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "wave-waits-for-suspended-job",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a suspended Job that blocks everything in later waves and phases",
    why: "Before a wave starts, everything in the wave before must be healthy \
          (`gitops-engine/pkg/sync/sync_context.go`). A suspended Job is `Suspended`, which is not healthy and stays \
          that way: the sync waits until somebody resumes the Job. The sync does not wait for a Job in the last wave \
          with no hook in it or after it.",
    fix: "Put the Job in the last wave, with no hook in it or after it, or remove `suspend: true`. A Job that should \
          not run can be left out of the sync with `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    example: super::example!("wave-waits-for-suspended-job"),
    check: Check::Objects(check),
};

/// An object in one phase of a sync.
struct Step<'l> {
    moment: Moment,
    index: usize,
    object: &'l Object,
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let suspended = |(_, job): &(usize, &Job)| job.is_suspended() && !job.is_queued() && !job.is_hook();
    if !context.jobs().any(|found| suspended(&found)) {
        return Vec::new();
    }
    let steps = steps(context);
    let moments = Moments::of(&steps);
    let found = context.jobs().filter(suspended).filter_map(|(index, job)| {
        let moment = sync_order::first(job)?;
        let (other, message) = match moments.later(moment) {
            Some(next) => (
                next,
                format!("the sync waits for this suspended Job before it continues with {}", next.described(context)),
            ),
            None => {
                let hook = moments.hook_beside(moment)?;
                (
                    hook,
                    format!(
                        "the sync waits for this suspended Job, because the same wave has a hook: {}",
                        hook.described(context)
                    ),
                )
            }
        };
        let help = "put the Job in the last wave, with no hook in that wave or after it, or leave it out of the sync with \
                    `argocd.argoproj.io/hook: Skip`";
        Some(Diagnostic::at(index, path!["spec", "suspend"], message, help).with(other.index, Path::of_keys(&NAME)))
    });
    found.collect()
}

const NAME: [&str; 2] = ["metadata", "name"];

/// All steps except those of Namespaces and CustomResourceDefinitions, which the engine moves to the first object that needs them.
fn steps<'l>(context: &Context<'l>) -> Vec<Step<'l>> {
    let step = |task: Task<'_>| {
        let object = context.survey.objects[task.object].on(context.side)?.object();
        let is_moved = matches!(object.kind(), "Namespace" | "CustomResourceDefinition");
        let moment = Moment { phase: task.phase, wave: task.wave };
        (!is_moved).then_some(Step { moment, index: task.object, object })
    };
    sync_order::tasks(context.survey, context.side).into_iter().filter_map(step).collect()
}

/// The first step of each moment, and its first hook. Indexed, because there can be thousands of suspended Jobs.
struct Moments<'s, 'l>(BTreeMap<Moment, (&'s Step<'l>, Option<&'s Step<'l>>)>);

impl<'s, 'l> Moments<'s, 'l> {
    fn of(steps: &'s [Step<'l>]) -> Self {
        let mut moments = BTreeMap::new();
        for step in steps {
            let (_, hook) = moments.entry(step.moment).or_insert((step, None));
            if hook.is_none() && step.object.is_hook() {
                *hook = Some(step);
            }
        }
        Self(moments)
    }

    /// The first step of a successful sync after a moment.
    fn later(&self, moment: Moment) -> Option<&'s Step<'l>> {
        // `SyncFail` is the last phase.
        let (next, (step, _)) = self.0.range((Bound::Excluded(moment), Bound::Unbounded)).next()?;
        (next.phase != Phase::SyncFail).then_some(*step)
    }

    /// A hook of the same moment, if the sync has other moments too: only then Argo CD waits for the end of the last wave.
    fn hook_beside(&self, moment: Moment) -> Option<&'s Step<'l>> {
        let (_, hook) = self.0.get(&moment).filter(|_| self.0.len() > 1)?;
        *hook
    }
}

impl Step<'_> {
    /// ``Job `smoke` in PostSync wave 0 (web.yaml:4:9)``
    fn described(&self, context: &Context<'_>) -> String {
        let name = self.object.name().or(self.object.generate_name()).unwrap_or("");
        let place =
            context.place(self.index, &Path::of_keys(&NAME)).map(|place| format!(" ({place})")).unwrap_or_default();
        format!("{} `{name}` in {}{place}", self.object.kind(), self.moment)
    }
}
