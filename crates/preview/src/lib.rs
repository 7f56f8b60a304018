#![doc = include_str!("../README.md")]

mod analysis;
mod applied;
mod at_deletion;
mod auto_sync;
mod because;
mod by_application;
mod chosen;
mod cluster;
mod compare;
mod comparison;
mod data_hooks;
mod forecast;
mod hook;
mod kind;
mod live;
mod pair;
mod snapshot;
mod starts;
mod steps;
mod stop;
mod upgrade;
mod rights;
mod uses;
mod verdict;
mod when;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use goyaml::path;
use kube_jobs::argocd::{Phase, SyncPolicy, Version};
use kube_jobs::kubernetes::Object;
use lint::survey::sync_order::{self, Absence, Moment};
use lint::survey::{ObjectState, Side, SourceSettings, Survey};
use lint::{Finding, State};
use rewrite::plan::is_trigger;
use rewrite::settings::{AnySetting, Id, Overruled, PluginUse};
use rewrite::strategy::Strategy;
use text::Place;

pub use analysis::{compare, judge, report};
use applied::Applied;
pub use at_deletion::AtDeletion;
pub use auto_sync::AutoSync;
pub use because::{Because, Moments};
use by_application::ByApplication;
pub use chosen::chosen;
pub use cluster::{Cluster, Judged, JudgedJob, LiveJob, LiveReason, LiveState, NotKnown, Replacement};
pub use comparison::{Compared, Comparison, GoneApplication, NewOrOld, Unapplied, Until};
pub use forecast::{
    Chosen, Condition, Effect, End, Forecast, ForecastRow, ManifestChange, Outcome, Reason, Used, WayOut,
};
pub use kind::{Kind, ObjectName, counted};
pub use live::Leftover;
use live::Live;
pub use snapshot::Snapshot;
use snapshot::key_of;
pub use starts::{OutOfSync, Refused, Start, TRIGGER};
pub use steps::{Entry, Held, Step, steps};
pub use stop::{Halt, Rest, Stop};
pub use upgrade::{VersionChange, upgrade};
pub use uses::{Change, ChangedUse, Part, PartChange, Renamed, Sees};
pub use verdict::{Failure, Verdict};
pub use when::{Differs, Rejection, When};

/// What a sync can run: a Job, or a hook of another kind that runs something.
#[derive(Clone, Debug)]
pub struct Runnable {
    /// The index of the object in the survey.
    pub object: usize,
    /// The index in the plan; none for what is not a Job.
    pub job: Option<usize>,
    /// The kind and its API group: `Job` and `batch`, `Workflow` and `argoproj.io`.
    pub kind: Kind,
    /// Whether it is a hook as it is emitted.
    pub is_hook: bool,
    /// The place of its name, or of its beginning.
    pub place: Place,
    /// The namespace, its own or the Application's, when either is known.
    pub namespace: Option<String>,
    /// The name as written; with `…` at the end for a `generateName`.
    pub written: String,
    /// The name as emitted, likewise.
    pub emitted: String,
    /// The strategy that writes it; `keep` for what is not a Job.
    pub strategy: Strategy,
    /// What chose the strategy, in words.
    pub chosen: String,
    /// When it runs.
    pub when: When,
    /// What it does when the Application is deleted.
    pub at_deletion: AtDeletion,
    /// Whether it is a hook to which a sync comes that has failed.
    pub is_of_failure: bool,
    /// When a sync first applies it; none when it is in no phase.
    pub moment: Option<Moment>,
    /// The content hash, where the strategy uses one.
    pub hash: Option<String>,
    /// Settings that take effect on it, other than the strategy.
    pub settings: Vec<(Id, Arc<AnySetting>)>,
    /// Settings that take no effect, because their parameter is locked.
    pub overruled: Vec<Overruled>,
    /// The open findings about it, by their indices.
    pub findings: Vec<usize>,
}

/// Everything that a preview shows of one version.
#[derive(Clone, Debug)]
pub struct Report {
    /// The Jobs and the other hooks, in the order in which a sync comes to them; at the end those that are in no phase.
    pub jobs: Vec<Runnable>,
    /// The number of other objects.
    pub others: usize,
    /// The waves of the sync.
    pub steps: Vec<Step>,
    /// Where one of the Jobs certainly makes the sync end or wait, if one does.
    pub stop: Option<Stop>,
    /// What makes a change of a hook start a sync. None without hooks. Argo CD does not compare hooks, so their change alone starts no sync.
    pub trigger: Option<Trigger>,
    /// The Application's sync policy, when it is known.
    pub sync: Option<Arc<SyncPolicy>>,
    /// Whether Argo CD uses the plugin.
    pub plugin: Plugin,
}

impl Report {
    /// Whether the sync ends or waits before it reaches the Job.
    pub fn is_blocked(&self, job: &Runnable) -> bool {
        // A sync that waits may fail later, and then runs the SyncFail hooks.
        let is_open = |stop: Stop| match stop.why {
            Halt::Failure => job.when.is_also_after_failure() && stop.runs_hooks_for(Phase::SyncFail),
            _ => job.when == When::FailedSync,
        };
        self.stop.zip(job.moment).is_some_and(|(stop, moment)| !stop.reaches(moment) && !is_open(stop))
    }

    /// Whether the preview shows the Jobs as they are without the plugin.
    pub fn is_without_the_plugin(&self) -> bool {
        matches!(self.plugin, Plugin::Unused | Plugin::AsWritten)
    }

    /// Whether it is a question what makes a change of a hook start a sync: not when no sync starts by itself, and not without the plugin.
    pub fn asks_for_a_trigger(&self) -> bool {
        !self.is_without_the_plugin() && self.sync.as_ref().is_none_or(|sync| sync.automated.is_some())
    }
}

/// Whether Argo CD uses the plugin for the Application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plugin {
    /// Argo CD uses the plugin, or nothing says that it does not.
    #[default]
    Used,
    /// Argo CD does not use the plugin; the Jobs are shown as they are.
    Unused,
    /// Argo CD does not use the plugin; the Jobs are shown as if it did.
    Imagined,
    /// No Application is known, and nothing configures it, or the user asked for the Jobs without it (`--plugin=false`).
    AsWritten,
}

/// What makes a change of a hook start a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The ConfigMap of this name.
    ConfigMap(String),
    /// A ConfigMap that is added where the Application's name is known.
    Unnamed,
    /// Nothing: the parameter `trigger` is false.
    Off,
}

/// Makes the report on one version.
fn report_of(survey: &Survey<'_>, argocd_version: Version, findings: &[Finding]) -> Report {
    let mut by_object: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.state == State::Open) {
        if let Some(object) = finding.object {
            by_object.entry(object).or_default().push(index);
        }
    }
    let mut steps = steps(survey, Side::Emitted, argocd_version);
    let repeated = repeated(survey);
    steps.iter_mut().for_each(|step| step.entries.retain(|entry| !repeated.contains(&entry.object)));
    let mut jobs: Vec<Runnable> = Vec::new();
    let mut seen = BTreeSet::new();
    let in_order = sync_order::tasks(survey, Side::Emitted).into_iter().map(|task| task.object);
    let reason =
        |(index, state): (usize, &ObjectState)| Some((index, when::phases(state.object(), argocd_version).err()?));
    let absent: Vec<(usize, Absence)> = survey.on(Side::Emitted).filter_map(reason).collect();
    let is_absent: BTreeSet<usize> = absent.iter().map(|(index, _)| *index).collect();
    steps.iter_mut().for_each(|step| step.entries.retain(|entry| !is_absent.contains(&entry.object)));
    steps.retain(|step| !step.entries.is_empty());
    for object in in_order.chain(absent.iter().map(|(object, _)| *object)) {
        if is_shown(survey, object) && seen.insert(object) {
            let findings = by_object.remove(&object).unwrap_or_default();
            let Some(mut report) = runnable(survey, object, argocd_version, findings) else { continue };
            if repeated.contains(&object) {
                (report.when, report.moment) = (When::Never(Absence::Repeated), None);
            }
            jobs.push(report);
        }
    }
    let others = survey.on(Side::Written).filter(|(index, _)| !is_shown(survey, *index)).count();
    let sync = survey.application.sync.clone();
    let application = ByApplication::of(survey, argocd_version);
    let is_nameless = survey.on(Side::Emitted).any(|(_, state)| starts::is_nameless(state.object(), application));
    let applied = Applied::all(&steps);
    let stop = jobs
        .iter()
        .filter_map(|job| Stop::by(&job.when, job.moment, applied.awaits(job, survey)))
        .chain(is_nameless.then_some(Stop::NOTHING))
        .min();
    let plugin = plugin(survey);
    Report { jobs, others, steps, stop, trigger: trigger(survey), sync, plugin }
}

/// Whether an object is a Job or a hook that runs something.
fn is_shown(survey: &Survey<'_>, object: usize) -> bool {
    let pair = &survey.objects[object];
    pair.job.is_some() || pair.on(Side::Emitted).is_some_and(|state| state.object().is_running_hook())
}

fn plugin(survey: &Survey<'_>) -> Plugin {
    match (survey.plugin(), survey.application.is_native) {
        (PluginUse::Used, false) => Plugin::Used,
        (PluginUse::Used, true) => Plugin::Imagined,
        (PluginUse::Native, _) => Plugin::Unused,
        (PluginUse::AsWritten, _) => Plugin::AsWritten,
    }
}

/// What is shown of a Job or of a hook of another kind; none for an object that is not emitted. `findings` are the open ones about it.
fn runnable(survey: &Survey<'_>, object: usize, version: Version, findings: Vec<usize>) -> Option<Runnable> {
    let on = |side| survey.objects[object].on(side).map(ObjectState::object);
    let emitted = on(Side::Emitted)?;
    let name = |object: &Object| object.shown_name().unwrap_or_default();
    let job = survey.objects[object].job;
    let plan = job.map(|job| &survey.plan.jobs[job]);
    let strategy = plan.map_or(Strategy::Keep, |plan| plan.outcome.decision.strategy);
    let settings = plan.into_iter().flat_map(|plan| plan.settings.iter());
    let as_job = survey.objects[object].emitted.as_ref().and_then(|state| state.job());
    let application = ByApplication::of(survey, version);
    let live = || as_job.map_or_else(|| Live::of_object(emitted), |job| Live::of(job, application));
    Some(Runnable {
        object,
        job,
        kind: Kind::of(emitted),
        is_hook: emitted.is_hook(),
        place: match plan {
            Some(plan) => survey.manifests[plan.manifest].place(plan.offset),
            None => survey.place(object, &path!["metadata", "name"])?,
        },
        namespace: emitted.namespace().map(ToOwned::to_owned).or_else(|| survey.application.namespace.clone()),
        written: name(on(Side::Written).unwrap_or(emitted)),
        emitted: name(emitted),
        strategy,
        chosen: plan.map_or_else(|| "is not a Job".to_owned(), chosen),
        when: match plan {
            Some(plan) => When::of(survey, object, plan, version),
            None => When::of_hook(emitted, survey, version),
        },
        at_deletion: AtDeletion::of(emitted, live, version),
        is_of_failure: emitted.phases().contains(&Phase::SyncFail),
        moment: sync_order::first(emitted).filter(|_| when::phases(emitted, version).is_ok()),
        hash: plan.and_then(|plan| plan.outcome.hash.clone()),
        settings: settings.filter(|(id, _)| applies(*id, strategy)).map(|(id, set)| (id, Arc::clone(set))).collect(),
        overruled: plan.map(|plan| plan.overruled.clone()).unwrap_or_default(),
        findings,
    })
}

/// The Jobs and hooks that are followed by another one of the same kind with the same name in the same namespace.
fn repeated(survey: &Survey<'_>) -> BTreeSet<usize> {
    let mut last = BTreeMap::new();
    let shown = survey.on(Side::Emitted).filter(|(index, _)| is_shown(survey, *index));
    let named = shown.filter(|(_, state)| state.object().name().is_some());
    named.filter_map(|(index, state)| last.insert(key_of(state.object(), survey), index)).collect()
}

/// Whether a preview shows the parameter of a Job: it does something under the Job's strategy. The hashes are for `adopt`, and
/// `hash-references` is the Application's.
fn applies(id: Id, strategy: Strategy) -> bool {
    !matches!(id, Id::Baseline | Id::HashReferences) && id.strategies().contains(&strategy)
}

fn trigger(survey: &Survey<'_>) -> Option<Trigger> {
    if survey.plan.jobs.iter().all(|job| job.emitted.trigger_digest.is_none()) {
        return None;
    }
    if !survey.sources.iter().any(SourceSettings::has_trigger) {
        return Some(Trigger::Off);
    }
    let objects = survey.on(Side::Emitted).map(|(_, resource)| resource.object());
    let found = objects.filter(|object| is_trigger(object.value())).last();
    match found.and_then(|object| object.name()) {
        Some(name) => Some(Trigger::ConfigMap(name.to_owned())),
        None => Some(Trigger::Unnamed),
    }
}
