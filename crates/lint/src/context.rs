//! The objects of one side, as the rules see them.

use goyaml::{Path, path};
use kube_jobs::argocd::{Phase, Waits};
use kube_jobs::kubernetes::{Job, Object, Runs};
use rewrite::manifest::FixedValue;
use rewrite::plan::starts_a_sync;
use rewrite::settings::Output;
use rewrite::strategy::{Strategy, remembered_name};
use text::{Origin, Place};

use crate::survey::sync_order::{self, Absence};
use crate::survey::{ObjectState, Side, SourceSettings, Survey};

/// The input of a rule: the objects of one side.
#[derive(Clone, Copy, Debug)]
pub struct Context<'l> {
    /// The objects of both sides.
    pub survey: &'l Survey<'l>,
    /// The side that the rule checks.
    pub side: Side,
    /// The settings for the output of the first source.
    pub output: &'l Output,
    /// The maximum number of diagnostics that the rule may return. A rule that can return several for one object stops there.
    pub most: usize,
}

impl<'l> Context<'l> {
    /// The objects of the side, each with its index in the survey. The functions below return the same indices.
    pub fn objects(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.survey.on(self.side).map(|(index, resource)| (index, resource.object()))
    }

    /// The objects of the side whose command lines or variables may name a Job, with their indices.
    pub fn objects_that_may_name_a_job(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        let may = self.survey.on(self.side).filter(|(_, resource)| resource.may_name_a_job);
        may.map(|(index, resource)| (index, resource.object()))
    }

    /// Whether a sync applies all objects of the side at one moment, so that no object is late for another.
    pub fn has_one_moment(&self) -> bool {
        let mut moments = self.objects().filter_map(|(_, object)| sync_order::first(object));
        moments.next().is_none_or(|first| moments.all(|moment| moment == first))
    }

    /// The Jobs of the side, with their indices.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.survey.on(self.side).filter_map(|(index, resource)| Some((index, resource.job()?)))
    }

    /// The hooks, of any kind, that the trigger counts, with their indices. Argo CD does not notice when they change.
    pub fn sync_hooks(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.objects().filter(|(_, object)| starts_a_sync(object))
    }

    /// Whether Argo CD compares at least one object with the cluster: an object that is neither a hook nor skipped.
    pub fn has_ordinary_object(&self) -> bool {
        self.objects().any(|(_, object)| !object.is_hook() && !object.is_skipped())
    }

    /// Whether the side has the trigger ConfigMap, or gets it once the name of the Application is known.
    pub fn has_trigger(&self) -> bool {
        self.side == Side::Emitted && self.survey.sources.iter().any(SourceSettings::has_trigger)
    }

    /// Whether the trigger ConfigMap changes together with a hook, or will once the name of the Application is known.
    pub fn is_in_trigger(&self, hook: usize) -> bool {
        self.side == Side::Emitted && self.survey.source(hook).has_trigger()
    }

    /// The objects that Argo CD applies, in a sync or when the Application is deleted.
    fn applied(&self) -> impl Iterator<Item = (usize, &'l ObjectState)> {
        let is_left_out = |object: &Object| {
            matches!(sync_order::phases(object), Err(Absence::Skip | Absence::NoValidType | Absence::HelmTest))
        };
        self.survey.on(self.side).filter(move |(_, state)| !state.is_patch && !is_left_out(state.object()))
    }

    /// The objects that Argo CD applies and that are not hooks, with their indices.
    pub fn ordinary_objects(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.applied().map(|(index, state)| (index, state.object())).filter(|(_, object)| !object.is_hook())
    }

    /// The hooks of a sync, of any kind, with their indices.
    pub fn hooks(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        let objects = self.applied().map(|(index, state)| (index, state.object()));
        objects.filter(|(_, object)| object.is_hook() && !object.phases().is_empty())
    }

    /// The hooks of a sync that run and then finish, with their indices: Jobs, Pods, Workflows and Tekton runs. Unlike [`Object::is_running_hook`],
    /// leaves out kinds that this program does not know.
    pub fn finishing_hooks(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.hooks().filter(|(_, object)| object.runs() == Runs::ToAnEnd)
    }

    /// Whether an object is a Job, or a hook that runs and then finishes, and Argo CD applies it.
    pub fn runs(object: &Object) -> bool {
        let is_left_out =
            matches!(sync_order::phases(object), Err(Absence::Skip | Absence::NoValidType | Absence::HelmTest));
        let is_hook = || object.is_hook() && object.runs() == Runs::ToAnEnd;
        !is_left_out && (object.is_job() || is_hook())
    }

    /// The Jobs, and the hooks that run and then finish, which Argo CD applies, with their indices.
    pub fn running(&self) -> impl Iterator<Item = (usize, &'l Object)> {
        self.applied().map(|(index, state)| (index, state.object())).filter(|(_, object)| Self::runs(object))
    }

    /// The Jobs, and the hooks of any kind, whose templates read this value: index, kind, and the place of the read.
    pub fn template_reads(&self, value: FixedValue) -> impl Iterator<Item = (usize, &'l str, &'l str)> {
        let survey = self.survey;
        let objects = self.applied().map(|(index, state)| (index, state.object()));
        let found = objects.filter(|(_, object)| Self::runs(object) || object.is_hook() && !object.phases().is_empty());
        found.filter_map(move |(index, object)| {
            Some((index, object.kind(), survey.template_read(index, value)?.place.as_str()))
        })
    }

    /// Whether the Job has a sync option to replace it, of its own or of the Application. What these options do is the subject of other rules.
    pub fn has_replace_option(&self, job: &Job) -> bool {
        ["Force=true", "Replace=true"].into_iter().any(|option| job.has_sync_option(option))
            || self.has_application_option("Replace=true")
    }

    /// Whether a sync waits until a hook has finished. Argo CD has a health check for runs of Tekton since 3.6.
    pub fn waits_for(&self, hook: &Object) -> bool {
        let checks = &self.survey.application.health_checks;
        Waits::of(hook.group(), hook.kind(), self.output.argocd_version, checks) != Waits::No
    }

    /// The Jobs that Argo CD applies, in a sync or when the Application is deleted, with their indices.
    pub fn applied_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.applied().filter_map(|(index, state)| Some((index, state.job()?)))
    }

    /// The Jobs that Argo CD applies and that are not hooks, with their indices.
    pub fn ordinary_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.applied_jobs().filter(|(_, job)| !job.is_hook())
    }

    /// The ordinary Jobs that Argo CD deletes and creates again at every sync that applies them, with their indices.
    pub fn replaced_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        let by_application = self.has_application_option("Replace=true");
        self.ordinary_jobs().filter(move |(_, job)| {
            let is_replaced = by_application || job.has_sync_option("Replace=true");
            job.name().is_some() && job.has_sync_option("Force=true") && is_replaced
        })
    }

    /// The Jobs that run as hooks of a sync, with their indices.
    pub fn hook_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.applied_jobs().filter(|(_, job)| job.is_hook() && !job.phases().is_empty())
    }

    /// The ordinary Jobs that `generate` turns into Sync hooks: index, emitted Job, written Job. Empty on the written side.
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

    /// The name of the object before a strategy appends a suffix.
    pub fn base_name(&self, object: usize, own: &'l Object) -> Option<&'l str> {
        let by_setting = || {
            let plan = self.survey.job(object).filter(|_| self.side == Side::Emitted)?;
            let changes = plan.outcome.decision.strategy != Strategy::Keep;
            plan.outcome.input_name.as_ref().filter(|_| changes).map(|written| written.name.as_str())
        };
        remembered_name(own).or_else(by_setting).or(own.name())
    }

    /// Whether a tool rendered the object, so that its text can differ each time. True for standard input, which is often rendered.
    pub fn is_rendered(&self, object: usize) -> bool {
        let address = self.survey.objects[object].address;
        address.is_some_and(|address| !matches!(self.survey.manifests[address.manifest].origin, Origin::File(_)))
    }

    /// The strategy of a Job. None for other objects, and for a Job that could not be planned.
    pub fn strategy(&self, object: usize) -> Option<Strategy> {
        self.survey.job(object).map(|job| job.outcome.decision.strategy)
    }

    /// Whether the Application is known to have this sync option, which then applies to all its objects.
    pub fn has_application_option(&self, option: &str) -> bool {
        self.survey.application.sync.as_ref().is_some_and(|sync| sync.has_option(option))
    }

    /// Whether the output has the Job under a name that changes with its content.
    pub fn is_renamed(&self, job: usize) -> bool {
        self.side == Side::Emitted && self.strategy(job) == Some(Strategy::HashName)
    }

    /// The ordinary Jobs that the output has under names that change with their contents. Empty on the written side.
    pub fn renamed_jobs(&self) -> impl Iterator<Item = (usize, &'l Job)> {
        self.ordinary_jobs().filter(|(index, _)| self.is_renamed(*index))
    }

    /// The place of the name of an object as ` (path:line:column)`, for the middle of a message. Empty if it has no place.
    pub fn in_brackets(&self, object: usize) -> String {
        self.place(object, &path!["metadata", "name"]).map(|place| format!(" ({place})")).unwrap_or_default()
    }

    /// The place of the value at `path` in an object, for a message.
    pub fn place(&self, object: usize, path: &Path) -> Option<Place> {
        self.survey.place(object, path)
    }
}
