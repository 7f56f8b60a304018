//! Two versions of one source: which Jobs run again, which field made them, and what would have become of the manifests as written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::new_or_old::NewOrOld;
use super::stop::Stop;
use super::verdict::{Because, Failure, Verdict};
use super::when::ByApplication;
use super::{JobReport, Report, Step as SyncStep, When};
use crate::argocd::{SyncPolicy, Version};
use crate::hash;
use crate::kubernetes::immutability::{self, SuspendedTemplate};
use crate::kubernetes::{Difference, Job, differences};
use crate::plan::{JobPlan, is_trigger};
use crate::settings::Id;
use crate::strategy::Strategy;
use crate::survey::sync_order::Moment;
use crate::survey::{Side, Survey};
use crate::text::Place;
use crate::yaml::Step;

/// What becomes of the Jobs from one version to the next.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The Jobs of the new version in the order of its report, then those that are gone.
    pub jobs: Vec<Compared>,
    /// The changes that make the Application OutOfSync, so that an auto-sync starts.
    pub starts: Vec<Start>,
    /// The Application's sync policy, when it is known.
    pub sync: Option<Arc<SyncPolicy>>,
    /// The waves of the new version in which a Job runs, with everything that is applied in them except the Jobs that do not run.
    pub steps: Vec<SyncStep>,
    /// Where the sync ends, when one of the Jobs fails it for sure.
    pub stop: Option<Stop>,
    /// The open findings of the new version, sorted by place.
    pub findings: Vec<NewOrOld>,
}

/// One Job in two versions.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The namespace, when it is known.
    pub namespace: Option<String>,
    /// The name that the user wrote.
    pub name: String,
    /// The name as emitted; that of the old version when it is gone.
    pub emitted: String,
    /// Its place, in the version that has it.
    pub place: Place,
    /// Whether it runs.
    pub verdict: Verdict,
    /// Why Argo CD could not have applied the new manifest as it is written.
    pub as_written: Option<Failure>,
    /// True when the rewrite prevents that failure.
    pub is_prevented: bool,
    /// When a sync of the new version first applies it; none when it is gone, or in no phase.
    pub moment: Option<Moment>,
    /// Its findings: indices into [`Comparison::findings`].
    pub findings: Vec<usize>,
}

/// An object that makes the Application OutOfSync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// `ConfigMap shop-config`
    pub object: String,
    /// `is new`, `changed`, `is gone`
    pub what: &'static str,
}

/// One version of the manifests, as it is compared: its objects and its report.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'v> {
    /// The plan and the objects.
    pub survey: &'v Survey<'v>,
    /// The report on it.
    pub report: &'v Report,
    /// Whether a trigger ConfigMap is written where the Application's name is known.
    pub has_trigger: bool,
    /// The version of Argo CD that is assumed.
    pub argocd_version: Version,
}

/// Compares two versions. `findings` are the open ones of the new version.
pub fn compare(old: Snapshot<'_>, new: Snapshot<'_>, mut findings: Vec<NewOrOld>) -> Comparison {
    let mut left: BTreeMap<Key, Vec<&JobReport>> = BTreeMap::new();
    for job in old.report.jobs.iter().rev() {
        left.entry(key(job, old)).or_default().push(job);
    }
    let suspended = SuspendedTemplate::of_cluster(new.survey.application.kube_version.as_deref());
    let mut jobs = Vec::new();
    for job in &new.report.jobs {
        let before = left.get_mut(&key(job, new)).and_then(Vec::pop);
        jobs.push(compared(before, job, (old, new), suspended));
    }
    let left: BTreeSet<usize> = left.values().flatten().map(|job| job.object).collect();
    for job in old.report.jobs.iter().filter(|job| left.contains(&job.object)) {
        let is_pruned =
            !matches!(job.when, When::EveryFullSync(_) | When::FailedSync | When::Never(_) | When::Rejected(_));
        jobs.push(Compared { moment: None, ..part(job, old, Verdict::Gone { is_pruned }) });
    }
    let application = ByApplication::of(new.survey, new.argocd_version);
    let stop = jobs.iter().filter_map(|job| Stop::by_verdict(&job.verdict, job.moment, application)).min();
    block(&mut jobs, stop);
    let steps = steps_that_run(&jobs, stop, new);
    attach(&mut jobs, new, &findings);
    for job in jobs.iter().filter(|job| matches!(job.verdict, Verdict::Fails(_))) {
        job.findings.iter().for_each(|index| findings[*index].is_due = true);
    }
    let starts = starts(old, new);
    Comparison { jobs, starts, sync: new.survey.application.sync.clone(), steps, stop, findings }
}

/// Says of each Job that would run that the sync does not come to it.
fn block(jobs: &mut [Compared], stop: Option<Stop>) {
    let Some(stop) = stop else { return };
    for job in jobs {
        let is_reached = job.moment.is_none_or(|moment| stop.reaches(moment));
        if !is_reached && job.verdict.runs() {
            job.verdict = Verdict::Blocked(Box::new(job.verdict.clone()));
        }
    }
}

/// The waves of the new version in which a Job runs, without the Jobs that do not.
fn steps_that_run(jobs: &[Compared], stop: Option<Stop>, new: Snapshot<'_>) -> Vec<SyncStep> {
    let run: BTreeSet<usize> =
        new.report.jobs.iter().zip(jobs).filter(|(_, job)| job.verdict.runs()).map(|(job, _)| job.object).collect();
    let mut steps = new.report.steps.clone();
    steps.iter_mut().for_each(|step| step.entries.retain(|entry| !entry.is_job || run.contains(&entry.object)));
    let is_reached =
        |step: &SyncStep| stop.is_none_or(|stop| stop.reaches(Moment { phase: step.phase, wave: step.wave }));
    steps.retain(|step| is_reached(step) && step.entries.iter().any(|entry| entry.is_job));
    steps
}

/// Gives each Job the indices of its findings.
fn attach(jobs: &mut [Compared], new: Snapshot<'_>, findings: &[NewOrOld]) {
    let of_object: BTreeMap<usize, usize> =
        new.report.jobs.iter().enumerate().map(|(index, job)| (job.object, index)).collect();
    for (index, NewOrOld { finding, .. }) in findings.iter().enumerate() {
        if let Some(job) = finding.object.and_then(|object| of_object.get(&object)) {
            jobs[*job].findings.push(index);
        }
    }
}

type Key = (String, String);

fn key(job: &JobReport, version: Snapshot<'_>) -> Key {
    (job.namespace.clone().unwrap_or_default(), written(job, version))
}

fn written(job: &JobReport, version: Snapshot<'_>) -> String {
    let plan = &version.survey.plan.jobs[job.job];
    plan.outcome.input_name.as_ref().map_or_else(|| job.written.clone(), |written| written.name.clone())
}

fn part(job: &JobReport, version: Snapshot<'_>, verdict: Verdict) -> Compared {
    Compared {
        namespace: job.namespace.clone(),
        name: written(job, version),
        emitted: job.emitted.clone(),
        place: job.place.clone(),
        verdict,
        as_written: None,
        is_prevented: false,
        moment: job.moment,
        findings: Vec::new(),
    }
}

/// The Job of an object on one side.
fn job<'v>(report: &JobReport, version: Snapshot<'v>, side: Side) -> Option<&'v Job> {
    version.survey.objects[report.object].on(side)?.job()
}

fn compared(
    before: Option<&JobReport>,
    now: &JobReport,
    (old, new): (Snapshot<'_>, Snapshot<'_>),
    suspended: SuspendedTemplate,
) -> Compared {
    let Some(before) = before else {
        return part(now, new, Verdict::New(now.when.clone()));
    };
    let pair = |side| Some((job(before, old, side)?, job(now, new, side)?));
    let (Some(as_written), Some(emitted)) = (pair(Side::Written), pair(Side::Emitted)) else {
        return part(now, new, Verdict::New(now.when.clone()));
    };
    let plans = (&old.survey.plan.jobs[before.job], &new.survey.plan.jobs[now.job]);
    let verdict = verdict(plans, emitted, now, new.has_trigger, suspended);
    let application = ByApplication::of(new.survey, new.argocd_version);
    let failure = |pair| failure(pair, application, suspended);
    let is_prevented = failure(emitted).is_none();
    let verdict = match verdict {
        Verdict::DoesNotRun { changed, when } if !is_prevented && !changed.is_empty() && !is_rejected(&when) => {
            Verdict::Fails(changed)
        }
        verdict => verdict,
    };
    Compared { as_written: failure(as_written), is_prevented, ..part(now, new, verdict) }
}

fn verdict(
    plans: (&JobPlan, &JobPlan),
    (old, new): (&Job, &Job),
    now: &JobReport,
    has_trigger: bool,
    suspended: SuspendedTemplate,
) -> Verdict {
    let changed = || spec_differences(old, new);
    let changed_or_new = || match strategies(plans) {
        Some((was, is)) => vec![Because::Strategy(was, is)],
        None => changed().into_iter().map(Because::Field).collect(),
    };
    let is_same_name = plans.0.emitted.name == plans.1.emitted.name;
    let when = now.when.clone();
    let if_refused = |verdict: fn(Vec<Difference>) -> Verdict| match immutability::refused(old, new, suspended) {
        none if none.is_empty() => Verdict::DoesNotRun { when: now.when.clone(), changed: changed() },
        refused => verdict(refused),
    };
    match &now.when {
        When::EveryFullSync(_) => {
            let starts = has_trigger && plans.0.emitted.trigger_digest != plans.1.emitted.trigger_digest;
            Verdict::EverySync { when, changed: changed_or_new(), starts }
        }
        When::EverySync => {
            let starts = !differences(old.value(), new.value()).is_empty();
            Verdict::EverySync { when, changed: changed_or_new(), starts }
        }
        When::FailedSync | When::Never(_) | When::Rejected(_) | When::Suspended(_) => {
            Verdict::DoesNotRun { when, changed: changed() }
        }
        _ if !is_same_name => Verdict::RunsAgain(because(plans, old, new)),
        When::FailsUnchanged(_) => Verdict::Fails(changed()),
        // A live hook is not replaced until it is deleted: the new manifest is merged into it.
        When::OnceForAll if !old.is_hook() => if_refused(Verdict::Fails),
        When::WhenRefused => {
            if_refused(|refused| Verdict::RunsAgain(refused.into_iter().map(Because::Field).collect()))
        }
        _ => Verdict::DoesNotRun { when, changed: changed() },
    }
}

/// Whether a Job is rejected whatever changed in it.
fn is_rejected(when: &When) -> bool {
    matches!(when, When::Rejected(_))
}

/// The strategies, when they differ.
fn strategies((old, new): (&JobPlan, &JobPlan)) -> Option<(Strategy, Strategy)> {
    let (was, is) = (old.outcome.decision.strategy, new.outcome.decision.strategy);
    (was != is).then_some((was, is))
}

/// The differences between the specs as emitted.
fn spec_differences(old: &Job, new: &Job) -> Vec<Difference> {
    let is_spec = |difference: &Difference| difference.path.is_below("spec");
    differences(old.value(), new.value()).into_iter().filter(is_spec).collect()
}

/// Why the names differ: the fields that the hash covers, or else what else goes into the name.
fn because(plans: (&JobPlan, &JobPlan), old: &Job, new: &Job) -> Vec<Because> {
    let (old_plan, new_plan) = plans;
    if let Some((was, is)) = strategies(plans) {
        return vec![Because::Strategy(was, is)];
    }
    let is_covered = |difference: &Difference| match difference.path.steps().get(1) {
        // It counts when it comes or goes, and with it the default of `completions`.
        Some(Step::Key(field)) if field == "parallelism" => difference.old.is_none() || difference.new.is_none(),
        _ => hash::covers(&difference.path),
    };
    let fields = spec_differences(old, new).into_iter().filter(is_covered).map(Because::Field);
    let mut found: Vec<Because> = fields.collect();
    let rerun = |plan: &JobPlan| plan.settings.get(Id::Rerun).map(|setting| setting.value.display().to_string());
    let (before, now) = (rerun(old_plan).unwrap_or_default(), rerun(new_plan).unwrap_or_default());
    if before != now {
        found.push(Because::Rerun(before, now));
    }
    if found.is_empty() && old_plan.outcome.hash != new_plan.outcome.hash {
        found.push(Because::References);
    }
    if found.is_empty() {
        let name = |plan: &JobPlan| plan.emitted.name.clone().unwrap_or_default();
        found.push(Because::Name(name(old_plan), name(new_plan)));
    }
    found
}

/// Why Argo CD could not have applied `new` in the place of `old` without this program.
fn failure((old, new): (&Job, &Job), application: ByApplication, suspended: SuspendedTemplate) -> Option<Failure> {
    if new.is_hook() || new.is_skipped() {
        return None;
    }
    let has = |option| new.has_sync_option(option);
    match (has("Force=true"), has("Replace=true") || application.replaces) {
        (_, is_replaced) if new.name().is_none() => (!is_replaced).then_some(Failure::GenerateName),
        (true, _) => None,
        // Under another name it is created, which nothing refuses.
        (false, true) if old.name() != new.name() => None,
        (false, true) if application.skips_unchanged && differences(old.value(), new.value()).is_empty() => None,
        (false, true) => Some(Failure::ReplaceAlone),
        (false, false) if old.is_hook() || old.name() != new.name() => None,
        (false, false) => {
            Some(immutability::refused(old, new, suspended)).filter(|found| !found.is_empty()).map(Failure::Immutable)
        }
    }
}

/// The ordinary objects that are new, changed or gone, and the trigger when a hook changed. Hooks themselves are not compared.
fn starts(old: Snapshot<'_>, new: Snapshot<'_>) -> Vec<Start> {
    let objects = |version: Snapshot<'_>| -> BTreeMap<(String, String, String, String), Option<String>> {
        let ordinary = version.survey.on(Side::Emitted).filter(|(_, resource)| {
            let object = resource.object();
            !object.is_hook() && !object.is_skipped() && !is_trigger(object.value())
        });
        let entry = |resource: &crate::survey::ObjectState| {
            let object = resource.object();
            let namespace = version.survey.namespace(object).to_owned();
            let name = object.name().or(object.generate_name()).unwrap_or("").to_owned();
            ((object.kind().to_owned(), object.group().to_owned(), namespace, name), resource.digest.clone())
        };
        ordinary.map(|(_, resource)| entry(resource)).collect()
    };
    let (before, now) = (objects(old), objects(new));
    let start = |(kind, _, namespace, name): &(String, String, String, String), what| {
        let namespace = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        Start { object: format!("{kind} {namespace}{name}"), what }
    };
    let mut starts: Vec<Start> = Vec::new();
    for (key, digest) in &now {
        match before.get(key) {
            None => starts.push(start(key, "is new")),
            // Without digests a change cannot be ruled out, and a needless report does no harm.
            Some(known) if known != digest || digest.is_none() => starts.push(start(key, "changed")),
            Some(_) => {}
        }
    }
    starts.extend(before.keys().filter(|key| !now.contains_key(*key)).map(|key| start(key, "is gone")));
    let digests = |version: Snapshot<'_>| -> BTreeMap<Key, Option<String>> {
        let jobs = version.report.jobs.iter();
        let digest = |job: &JobReport| version.survey.plan.jobs[job.job].emitted.trigger_digest.clone();
        jobs.map(|job| (key(job, version), digest(job))).filter(|(_, digest)| digest.is_some()).collect()
    };
    let (before, now) = (digests(old), digests(new));
    if old.has_trigger && new.has_trigger && before != now {
        // Without hooks there is no trigger.
        let what = match (before.is_empty(), now.is_empty()) {
            (true, _) => "is new",
            (_, true) => "is gone",
            _ => "changed",
        };
        starts.push(Start { object: "the trigger ConfigMap".to_owned(), what });
    }
    starts
}

impl Comparison {
    /// True when nothing has changed that concerns a Job or starts a sync, and nothing is wrong.
    pub fn is_quiet(&self) -> bool {
        let is_unchanged = |job: &Compared| {
            job.is_as_before() || matches!(&job.verdict, Verdict::EverySync { changed, .. } if changed.is_empty())
        };
        self.jobs.iter().all(is_unchanged)
            && (self.jobs.is_empty() || self.starts.is_empty())
            && !self.findings.iter().any(NewOrOld::is_of_interest)
    }
}

impl Compared {
    /// True when there is nothing to report about it: it does not run, and has not changed.
    pub fn is_as_before(&self) -> bool {
        let says_nothing = |changed: &[Difference]| changed.is_empty() && self.as_written.is_none();
        matches!(&self.verdict, Verdict::DoesNotRun { when, changed } if says_nothing(changed) && !matches!(when, When::Suspended(_) | When::Rejected(_)))
    }
}
