//! What a row of the table looks at: one side of the output.

use crate::argocd::Phase;
use crate::kubernetes::{Job, Object};
use crate::order::{self, Absence};
use crate::settings::{Output, Trigger};
use crate::strategy::{NAME, Strategy};
use crate::survey::{Side, Survey};
use crate::text::Place;
use crate::yaml::Path;

/// One side of the output.
#[derive(Clone, Copy, Debug)]
pub struct Look<'l> {
    /// Everything.
    pub survey: &'l Survey<'l>,
    /// The side to judge.
    pub side: Side,
    /// What is done with the output as a whole.
    pub output: &'l Output,
}

impl<'l> Look<'l> {
    /// The objects of the side, with their indices.
    pub fn objects(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.survey.on(self.side).map(|(index, resource)| (index, resource.object()))
    }

    /// The Jobs of the side, with their indices.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.survey.on(self.side).filter_map(|(index, resource)| Some((index, resource.job()?)))
    }

    /// The Jobs that are hooks of a sync that goes well: their changes Argo CD does not see.
    pub fn sync_hooks(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        let is_one = |job: &Job| job.is_hook() && job.phases().iter().any(|phase| *phase != Phase::SyncFail);
        self.jobs().filter(move |(_, job)| is_one(job))
    }

    /// True when something is compared: neither a hook nor left out.
    pub fn has_ordinary_object(&self) -> bool {
        self.objects().any(|(_, object)| !object.is_hook() && !object.is_skipped())
    }

    /// True on the side that has the trigger, or gets it as soon as the Application's name is known.
    pub fn has_trigger(&self) -> bool {
        self.side == Side::Emitted && self.output.trigger == Trigger::Yes
    }

    /// The Jobs that Argo CD applies, in a sync or when the Application is deleted, with their indices.
    pub fn applied_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        let is_left_out = |job: &Job| matches!(order::phases(job), Err(Absence::Skip | Absence::NoValidType));
        let no_patches = self.survey.on(self.side).filter(|(_, resource)| !resource.is_patch);
        let jobs = no_patches.filter_map(|(index, resource)| Some((index, resource.job()?)));
        jobs.filter(move |(_, job)| !is_left_out(job))
    }

    /// The Jobs that are applied as they are and stay, with their indices.
    pub fn ordinary_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.applied_jobs().filter(|(_, job)| !job.is_hook())
    }

    /// The Jobs that run as hooks of a sync, with their indices.
    pub fn hook_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.applied_jobs().filter(|(_, job)| job.is_hook() && !job.phases().is_empty())
    }

    /// The Sync hooks that `generate` makes of ordinary Jobs: index, as they come out, as they are written. Nothing on the side
    /// that is written.
    pub fn made_hooks(&self) -> impl Iterator<Item = (usize, &'l Job, &'l Job)> {
        let survey = self.survey;
        let emitted = self.hook_jobs().filter(|_| self.side == Side::Emitted);
        let pairs = emitted.filter_map(|(index, job)| {
            let written = survey.objects[index].written.as_ref()?.job()?;
            Some((index, job, written))
        });
        pairs.filter(|(_, job, written)| {
            job.phases().contains(&Phase::Sync) && !written.is_hook() && !written.is_skipped()
        })
    }

    /// The part of a Job's name that the user answers for: as it stands before a strategy appends to it.
    pub fn base_name(&self, object: usize, job: &'l Job) -> Option<&'l str> {
        let by_setting = || {
            let plan = self.survey.job(object).filter(|_| self.side == Side::Emitted)?;
            let changes = plan.outcome.decision.strategy != Strategy::Keep;
            plan.outcome.written.as_ref().filter(|_| changes).map(|written| written.name.as_str())
        };
        job.annotation(NAME).filter(|name| !name.is_empty()).or_else(by_setting).or(job.name())
    }

    /// The strategy of a Job; none for what is none, and for a Job that could not be planned.
    pub fn strategy(&self, object: usize) -> Option<Strategy> {
        self.survey.job(object).map(|job| job.outcome.decision.strategy)
    }

    /// The place of what stands at `path` in an object, for a message.
    pub fn place(&self, object: usize, path: &Path) -> Option<Place> {
        self.survey.place(object, path)
    }
}
