//! Two versions of one source: which Jobs run again, which field made them, and what would have become of the manifests as written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::{JobReport, Report, When};
use crate::argocd::SyncPolicy;
use crate::hash;
use crate::kubernetes::{Difference, Job, differences, immutability};
use crate::plan::{JobPlan, is_trigger};
use crate::strategy::Strategy;
use crate::survey::sync_order::Absence;
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
}

/// Whether a Job runs with the sync of the new version.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is new, and runs then.
    New(When),
    /// It was removed; a hook stays in the cluster.
    Gone {
        /// Whether Argo CD prunes it.
        is_pruned: bool,
    },
    /// It runs once more, for these reasons.
    RunsAgain(Vec<Because>),
    /// It runs at every sync, changed or not.
    EverySync {
        /// When.
        when: When,
        /// What changed in it.
        changed: Vec<Because>,
        /// Whether the change itself makes the Application OutOfSync.
        starts: bool,
    },
    /// The API server refuses the change, and the sync fails.
    Fails(Vec<Difference>),
    /// It does not run; what is changed in place.
    DoesNotRun {
        /// When it does.
        when: When,
        /// What changed.
        changed: Vec<Difference>,
    },
}

/// Why a Job runs again.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A field changed.
    Field(Difference),
    /// `rerun` changed.
    Rerun(String, String),
    /// The data of something that it refers to changed.
    References,
    /// Its strategy changed.
    Strategy(Strategy, Strategy),
    /// Its name changed for another reason.
    Name(String, String),
}

/// Why Argo CD could not have applied a Job as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// `field is immutable`
    Immutable(Vec<Difference>),
    /// A `generateName` on something that is not a hook cannot be applied.
    GenerateName,
    /// `Replace=true` alone fails on every Job.
    ReplaceAlone,
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
}

/// Compares two versions.
pub fn compare(old: Snapshot<'_>, new: Snapshot<'_>) -> Comparison {
    let mut left: BTreeMap<Key, Vec<&JobReport>> = BTreeMap::new();
    for job in old.report.jobs.iter().rev() {
        left.entry(key(job, old)).or_default().push(job);
    }
    let mut jobs = Vec::new();
    for job in &new.report.jobs {
        let before = left.get_mut(&key(job, new)).and_then(Vec::pop);
        jobs.push(compared(before, job, old, new));
    }
    let left: BTreeSet<usize> = left.values().flatten().map(|job| job.object).collect();
    for job in old.report.jobs.iter().filter(|job| left.contains(&job.object)) {
        let is_pruned = !matches!(job.when, When::EveryFullSync(_) | When::FailedSync | When::Never(_));
        jobs.push(part(job, old, Verdict::Gone { is_pruned }, None));
    }
    Comparison { jobs, starts: starts(old, new), sync: new.survey.application.sync.clone() }
}

type Key = (String, String);

fn key(job: &JobReport, version: Snapshot<'_>) -> Key {
    (job.namespace.clone().unwrap_or_default(), written(job, version))
}

fn written(job: &JobReport, version: Snapshot<'_>) -> String {
    let plan = &version.survey.plan.jobs[job.job];
    plan.outcome.input_name.as_ref().map_or_else(|| job.written.clone(), |written| written.name.clone())
}

fn part(job: &JobReport, version: Snapshot<'_>, verdict: Verdict, as_written: Option<Failure>) -> Compared {
    Compared {
        namespace: job.namespace.clone(),
        name: written(job, version),
        emitted: job.emitted.clone(),
        place: job.place.clone(),
        verdict,
        as_written,
    }
}

/// The Job of an object on one side.
fn job<'v>(report: &JobReport, version: Snapshot<'v>, side: Side) -> Option<&'v Job> {
    version.survey.objects[report.object].on(side)?.job()
}

fn compared(before: Option<&JobReport>, now: &JobReport, old: Snapshot<'_>, new: Snapshot<'_>) -> Compared {
    let Some(before) = before else {
        return part(now, new, Verdict::New(now.when.clone()), None);
    };
    let pair = |side| Some((job(before, old, side)?, job(now, new, side)?));
    let (Some(as_written), Some(emitted)) = (pair(Side::Written), pair(Side::Emitted)) else {
        return part(now, new, Verdict::New(now.when.clone()), None);
    };
    let plans = (&old.survey.plan.jobs[before.job], &new.survey.plan.jobs[now.job]);
    let verdict = verdict(plans, emitted, now, new.has_trigger);
    let is_replaced = new.survey.application.sync.as_ref().is_some_and(|sync| sync.has_option("Replace=true"));
    part(now, new, verdict, failure(as_written, is_replaced))
}

fn verdict(plans: (&JobPlan, &JobPlan), (old, new): (&Job, &Job), now: &JobReport, has_trigger: bool) -> Verdict {
    let changed = || spec_differences(old, new);
    let changed_or_new = || match strategies(plans) {
        Some((was, is)) => vec![Because::Strategy(was, is)],
        None => changed().into_iter().map(Because::Field).collect(),
    };
    let is_same_name = plans.0.emitted.name == plans.1.emitted.name;
    let when = now.when.clone();
    match &now.when {
        When::EveryFullSync(_) => {
            let starts = has_trigger && plans.0.emitted.trigger_digest != plans.1.emitted.trigger_digest;
            Verdict::EverySync { when, changed: changed_or_new(), starts }
        }
        When::EverySync => {
            let starts = !differences(old.value(), new.value()).is_empty();
            Verdict::EverySync { when, changed: changed_or_new(), starts }
        }
        When::FailedSync | When::Never(_) | When::Suspended(_) => Verdict::DoesNotRun { when, changed: changed() },
        _ if !is_same_name => Verdict::RunsAgain(because(plans, old, new)),
        // A live hook is not replaced until it is deleted: the new manifest is merged into it.
        When::OnceForAll if !old.is_hook() && !immutability::refused(old, new).is_empty() => {
            Verdict::Fails(immutability::refused(old, new))
        }
        When::WhenRefused if !immutability::refused(old, new).is_empty() => {
            Verdict::RunsAgain(immutability::refused(old, new).into_iter().map(Because::Field).collect())
        }
        _ => Verdict::DoesNotRun { when, changed: changed() },
    }
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
        Some(Step::Key(field)) => hash::covers(field),
        _ => true,
    };
    let fields = spec_differences(old, new).into_iter().filter(is_covered).map(Because::Field);
    let mut found: Vec<Because> = fields.collect();
    let rerun = |plan: &JobPlan| plan.settings.rerun.as_ref().map(|setting| setting.value.clone());
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
/// `is_replaced` says that the Application replaces all its objects.
fn failure((old, new): (&Job, &Job), is_replaced: bool) -> Option<Failure> {
    if new.is_hook() || new.is_skipped() {
        return None;
    }
    let has = |option| new.has_sync_option(option);
    match (has("Force=true"), has("Replace=true") || is_replaced) {
        (true, _) => None,
        (false, true) => Some(Failure::ReplaceAlone),
        (false, false) if new.name().is_none() => Some(Failure::GenerateName),
        (false, false) if old.is_hook() || old.name() != new.name() => None,
        (false, false) => {
            Some(immutability::refused(old, new)).filter(|found| !found.is_empty()).map(Failure::Immutable)
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
    if old.has_trigger && new.has_trigger && digests(old) != digests(new) {
        starts.push(Start { object: "the trigger ConfigMap".to_owned(), what: "changed" });
    }
    starts
}

impl Compared {
    /// True when there is nothing to report about it: it does not run, and has not changed.
    pub fn is_as_before(&self) -> bool {
        let says_nothing = |changed: &[Difference]| changed.is_empty() && self.as_written.is_none();
        matches!(&self.verdict, Verdict::DoesNotRun { when, changed } if says_nothing(changed) && !matches!(when, When::Suspended(_)))
    }
}

impl Verdict {
    /// True when the new version makes anything run, fail or disappear that the old one would not have.
    pub fn is_a_change(&self) -> bool {
        match self {
            Self::New(When::Never(_)) => false,
            Self::New(_) | Self::Gone { .. } | Self::RunsAgain(_) | Self::Fails(_) => true,
            Self::EverySync { changed, .. } => !changed.is_empty(),
            Self::DoesNotRun { changed, .. } => !changed.is_empty(),
        }
    }
}

fn at(when: &When) -> &'static str {
    if when.is_every_sync() { "at " } else { "" }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(difference) => write!(f, "{difference}"),
            Self::Rerun(old, new) => write!(f, "`rerun` changed `{old}` → `{new}`"),
            Self::References => {
                f.write_str("the data of a ConfigMap or Secret that it names changed (`hash-references`)")
            }
            Self::Strategy(old, new) => write!(f, "its strategy changed `{old}` → `{new}`"),
            Self::Name(old, new) => write!(f, "its name changed `{old}` → `{new}`"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New(When::Never(Absence::Deletion)) => f.write_str("is new; runs when the Application is deleted"),
            Self::New(when) => write!(f, "is new; runs {}{when}", at(when)),
            Self::Gone { is_pruned: true } => f.write_str("is gone; deleted where prune is on"),
            Self::Gone { is_pruned: false } => {
                f.write_str("is gone; the hook stays in the cluster until you delete it")
            }
            Self::RunsAgain(_) => f.write_str("runs again, once"),
            Self::EverySync { when, changed, .. } if changed.is_empty() => {
                write!(f, "runs {}{when}; it has not changed", at(when))
            }
            Self::EverySync { when, .. } => write!(f, "runs {}{when}; it has changed", at(when)),
            Self::Fails(_) => f.write_str("makes the sync fail with `field is immutable`"),
            Self::DoesNotRun { when: When::Never(_) | When::FailedSync, .. } => {
                f.write_str("does not run in this sync")
            }
            Self::DoesNotRun { when: When::Suspended(_), .. } => f.write_str("does not run while it is suspended"),
            Self::DoesNotRun { changed, .. } if changed.is_empty() => f.write_str("does not run; it has not changed"),
            Self::DoesNotRun { .. } => f.write_str("does not run; it is changed in place"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Immutable(_) => f.write_str("without argocd-jobs the sync would fail with `field is immutable`"),
            Self::GenerateName => {
                f.write_str("without argocd-jobs the sync would fail: a generateName without a hook cannot be applied")
            }
            Self::ReplaceAlone => {
                f.write_str("without argocd-jobs the sync would fail: `Replace=true` alone is refused for every Job")
            }
        }
    }
}
