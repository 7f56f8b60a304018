//! Two versions of one source: which Jobs run again, which field made them, and what would have become of the manifests as written.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::applied::Applied;
use super::because::Because;
use super::live::{Leftover, Live};
use super::new_or_old::NewOrOld;
use super::pair::{Pair, failure, is_applied, is_patched};
use super::snapshot::{Key, Snapshot, key, written};
use super::starts::{Ordinary, Refused, Start};
use super::stop::{Halt, Rest, Stop};
use super::uses::{ChangedUse, Sees, Uses};
use super::verdict::{Failure, Verdict};
use super::when::ByApplication;
use super::{Kind, Runnable, Step as SyncStep, When, hook, starts};
use crate::argocd::{Gone, Phase, SyncPolicy};
use crate::kubernetes::Job;
use crate::kubernetes::immutability::SuspendedTemplate;
use crate::survey::sync_order::{Absence, Moment};
use crate::survey::{ObjectState, Random, Side};
use crate::text::Place;

/// What becomes of the Jobs from one version to the next.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The Jobs of the new version in the order of its report, then the Jobs that are gone.
    pub jobs: Vec<Compared>,
    /// The changes that make the Application OutOfSync, so that an auto-sync starts.
    pub starts: Vec<Start>,
    /// Whether a sync starts without automated `prune` too if there is only something to prune: the cluster or the new version has an object
    /// for which Argo CD stores no sync status (`requirePruneOnly` in `controller/appcontroller.go`).
    pub starts_to_prune: bool,
    /// The Application's sync policy, when it is known.
    pub sync: Option<Arc<SyncPolicy>>,
    /// The waves of the new version in which a Job runs, with everything that is applied in them except the Jobs that do not run.
    pub steps: Vec<SyncStep>,
    /// The objects other than Jobs that make the sync fail.
    pub refused: Vec<Refused>,
    /// Where the sync certainly ends or waits, if it does.
    pub stop: Option<Stop>,
    /// What a sync that ends or waits applies, and what not.
    pub rest: Rest,
    /// The open findings of the new version, sorted by place.
    pub findings: Vec<NewOrOld>,
    /// An earlier commit that had the manifests of the new version, if whoever compares knows one.
    pub goes_back_to: Option<String>,
}

/// One Job, or a hook of another kind, in two versions.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The index of the object in the survey of the new version; none when it is gone.
    pub object: Option<usize>,
    /// Its kind.
    pub kind: Kind,
    /// Whether it is a hook, in the version that has it.
    pub is_hook: bool,
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
    /// What happens to the Job of the old version, if the new one has another name.
    pub leftover: Option<Leftover>,
    /// What may delete the live Job to which the new one is applied: then the verdict no longer holds.
    pub until: Option<Until>,
    /// When a sync of the new version first applies it; none when it is gone, or in no phase.
    pub moment: Option<Moment>,
    /// Its findings: indices into [`Comparison::findings`].
    pub findings: Vec<usize>,
    /// What it uses in both versions and that differs.
    pub uses: Vec<ChangedUse>,
}

/// What deletes a Job that the old version left in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Its TTL, in seconds.
    Ttl(i64),
    /// The TTL of the new version, in seconds, when the sync sets it on a Job that ended longer ago.
    NewTtl(i64),
    /// A person who deletes the Job of the hook.
    Deleted,
    /// A person, or a sync that fails (`HookFailed`).
    FailedSync,
}

/// Compares two versions. `findings` are the open ones of the new version.
pub fn compare(old: Snapshot<'_>, new: Snapshot<'_>, findings: Vec<NewOrOld>) -> Comparison {
    let mut left: BTreeMap<Key, Vec<&Runnable>> = BTreeMap::new();
    for job in old.report.jobs.iter().filter(|job| !is_repeated(job)).rev() {
        left.entry(key(job, old)).or_default().push(job);
    }
    let ordinary = Ordinary::of(old, new);
    let suspended = SuspendedTemplate::of_cluster(new.survey.application.kube_version.as_deref());
    let application = new.application();
    let uses = Uses::of(old, new);
    let mut jobs = Vec::new();
    for job in &new.report.jobs {
        let key = key(job, new);
        let before = left.get_mut(&key).filter(|_| !is_repeated(job)).and_then(Vec::pop);
        let uses = uses.changed(before, job);
        let compared = match job.job {
            Some(_) => compared(before, job, (old, new), suspended),
            None => {
                let before = before.and_then(|before| old.emitted(before.object));
                let before = before.or_else(|| ordinary.before(&key));
                part(job, new, hook::verdict(before, job, new))
            }
        };
        jobs.push(Compared { uses, ..compared });
    }
    let (starts, starts_to_prune) = (starts::starts(&ordinary, old, new), starts::starts_to_prune(&ordinary, old, new));
    let prunings = starts::prunings(&ordinary, new);
    let applied = Applied::of(&ordinary, &starts, &prunings, new);
    let of_jobs = || new.report.jobs.iter();
    for (_, job) in of_jobs().zip(&mut jobs).filter(|(report, _)| applied.postponed.contains(&report.object)) {
        job.moment.iter_mut().for_each(|moment| moment.phase = Phase::PostSync);
    }
    let awaited: Vec<bool> = of_jobs().map(|report| applied.awaits(report, new.survey)).collect();
    let stops = of_jobs().zip(&jobs).zip(&awaited);
    let stops = stops.filter_map(|((report, job), awaited)| job.verdict.stop(report, *awaited, application));
    let refused = starts::refused(&ordinary, new);
    let refusals = refused.iter().filter_map(|one| one.stop(application));
    let stop = stops.chain(refusals).chain(starts::confirmation(&ordinary, &prunings, application)).min();
    let gone = new.survey.application.sync.as_ref().and_then(|sync| sync.arrival.gone.as_ref());
    // The deletion of the Application is no sync.
    let stop = stop.filter(|_| gone.is_none());
    let left: BTreeSet<usize> = left.values().flatten().map(|job| job.object).collect();
    jobs.extend(left_behind(&left, old, new));
    block(&mut jobs, stop);
    let rest = rest(&jobs, &refused, stop, &applied.steps);
    let steps = steps_that_run(&jobs, stop, applied.steps.into_owned(), new);
    attach(&mut jobs, new, &findings);
    let sync = new.survey.application.sync.clone();
    let mut comparison =
        Comparison { jobs, starts, starts_to_prune, sync, steps, refused, stop, rest, findings, goes_back_to: None };
    mark(&mut comparison, &awaited, new);
    comparison
}

/// The Jobs and hooks of the old version that are gone. `left` are the indices of their objects.
fn left_behind(left: &BTreeSet<usize>, old: Snapshot<'_>, new: Snapshot<'_>) -> Vec<Compared> {
    let application = new.application();
    let gone = new.survey.application.sync.as_ref().and_then(|sync| sync.arrival.gone.as_ref());
    let mut jobs = Vec::new();
    let named = LazyCell::new(|| new.by_key(|state| state.object().name().is_some()));
    for report in old.report.jobs.iter().filter(|job| left.contains(&job.object)) {
        let leftover = match (report.job, job(report, old, Side::Emitted)) {
            (Some(_), Some(job)) => Leftover::of(job, live(report, job, application), application),
            (Some(_), None) => continue,
            (None, _) => match hook::leftover(report, old, &named, application) {
                Some(leftover) => leftover,
                None => continue,
            },
        };
        let object = old.emitted(report.object).map(ObjectState::object);
        let leftover = match gone.zip(object) {
            Some((gone, object)) => leftover.with_application(object, &report.when, gone),
            None => leftover,
        };
        jobs.push(Compared { object: None, moment: None, ..part(report, old, Verdict::Gone(leftover)) });
    }
    jobs
}

/// Says of the findings which are about this sync. `awaited` says of each Job of the new version whether the sync waits for it while it is suspended.
fn mark(comparison: &mut Comparison, awaited: &[bool], new: Snapshot<'_>) {
    for ((report, job), is_awaited) in new.report.jobs.iter().zip(&comparison.jobs).zip(awaited) {
        let is_held = matches!(job.verdict.otherwise(), Verdict::DoesNotRun { when: When::Suspended(_), .. });
        let has_ended = matches!(report.when, When::Suspended(_))
            && !is_held
            && !matches!(job.verdict.otherwise(), Verdict::New(_));
        for index in job.findings.iter().filter(|_| has_ended || !is_awaited) {
            let found = &mut comparison.findings[*index];
            found.is_over = found.finding.rule.id == "wave-waits-for-suspended-job";
        }
    }
    if !comparison.is_untouched() {
        for job in comparison.jobs.iter().filter(|job| job.verdict.is_an_error() || job.cannot_start()) {
            job.findings.iter().for_each(|index| comparison.findings[*index].is_due = true);
        }
    }
}

/// Whether Argo CD ignores the Job because a later one has the same name.
fn is_repeated(job: &Runnable) -> bool {
    job.when == When::Never(Absence::Repeated)
}

/// The state of a Job of the old version in the cluster.
fn live(report: &Runnable, job: &Job, application: ByApplication<'_>) -> Live {
    if is_rejected(&report.when) { Live::Never } else { Live::of(job, application) }
}

/// Changes the verdicts for a sync that ends or waits at `stop`: of Jobs that it does not reach, and of SyncFail hooks, which run.
fn block(jobs: &mut [Compared], stop: Option<Stop>) {
    let Some(stop) = stop else { return };
    for job in jobs {
        let is_reached = job.moment.is_none_or(|moment| stop.reaches(moment));
        let of_failure = match &job.verdict {
            Verdict::New(when) | Verdict::DoesNotRun { when, .. } if *when == When::FailedSync => true,
            Verdict::New(when) | Verdict::EverySync { when, .. } => !is_reached && when.is_also_after_failure(),
            _ => false,
        };
        // In a comparison, nothing comes before a refusal.
        let is_later_failure = |verdict: &Verdict| {
            matches!(verdict, Verdict::Fails(_) | Verdict::Collides(_)) && stop.why != Halt::Comparison
        };
        let otherwise = Box::new(job.verdict.clone());
        if of_failure && stop.runs_hooks_for(Phase::SyncFail) {
            job.verdict = Verdict::AfterFailure(otherwise);
            job.moment.iter_mut().for_each(|moment| moment.phase = Phase::SyncFail);
        } else if !is_reached && (job.verdict.runs() || is_later_failure(&job.verdict)) {
            job.verdict = Verdict::Blocked(otherwise, stop.why);
        }
    }
}

/// What a sync that ends or waits at `stop` applies, and what not.
fn rest(jobs: &[Compared], refused: &[Refused], stop: Option<Stop>, steps: &[SyncStep]) -> Rest {
    let is_failing = |verdict: &Verdict| match verdict {
        Verdict::Fails(_) | Verdict::Collides(_) => true,
        verdict => matches!(verdict.when(), Some(When::Suspended(_) | When::Rejected(_))),
    };
    let failing = jobs.iter().filter(|job| is_failing(&job.verdict)).map(|job| job.moment);
    let failing = failing.chain(refused.iter().map(|one| one.moment)).flatten();
    stop.map(|stop| Rest::of(stop, steps, failing)).unwrap_or_default()
}

/// The waves in which a Job runs, without the Jobs that do not run.
fn steps_that_run(jobs: &[Compared], stop: Option<Stop>, mut steps: Vec<SyncStep>, new: Snapshot<'_>) -> Vec<SyncStep> {
    let run: BTreeSet<usize> =
        new.report.jobs.iter().zip(jobs).filter(|(_, job)| job.verdict.runs()).map(|(job, _)| job.object).collect();
    steps.iter_mut().for_each(|step| step.entries.retain(|entry| !entry.runs || run.contains(&entry.object)));
    let is_reached = |step: &SyncStep| stop.is_none_or(|stop| stop.reaches(step.moment()));
    steps.retain(|step| is_reached(step) && step.entries.iter().any(|entry| entry.runs));
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

fn part(job: &Runnable, version: Snapshot<'_>, verdict: Verdict) -> Compared {
    Compared {
        object: Some(job.object),
        kind: job.kind.clone(),
        is_hook: job.is_hook,
        namespace: job.namespace.clone(),
        name: written(job, version),
        emitted: job.emitted.clone(),
        place: job.place.clone(),
        verdict,
        as_written: None,
        is_prevented: false,
        leftover: None,
        until: None,
        moment: job.moment,
        findings: Vec::new(),
        uses: Vec::new(),
    }
}

/// The Job of an object on one side.
fn job<'v>(report: &Runnable, version: Snapshot<'v>, side: Side) -> Option<&'v Job> {
    version.survey.objects[report.object].on(side)?.job()
}

fn compared(
    before: Option<&Runnable>,
    now: &Runnable,
    (old, new): (Snapshot<'_>, Snapshot<'_>),
    suspended: SuspendedTemplate,
) -> Compared {
    let Some(before) = before else {
        return part(now, new, Verdict::New(now.when.clone()));
    };
    let pair = |side| Some((job(before, old, side)?, job(now, new, side)?));
    let plans = before.job.zip(now.job);
    let plans = plans.map(|(before, now)| (&old.survey.plan.jobs[before], &new.survey.plan.jobs[now]));
    let (Some(as_written), Some(emitted), Some(plans)) = (pair(Side::Written), pair(Side::Emitted), plans) else {
        return part(now, new, Verdict::New(now.when.clone()));
    };
    let application = new.application();
    let pair = Pair {
        plans,
        was: &before.when,
        jobs: emitted,
        live: live(before, emitted.0, application),
        application,
        suspended,
    };
    let verdict = match &before.when {
        // No sync has applied the old Job, so the new one is created.
        When::Never(_) | When::Rejected(_) if is_applied(&now.when) => Verdict::New(now.when.clone()),
        _ => pair.verdict(now, new.has_trigger),
    };
    let failure = |pair| failure(pair, application, suspended);
    // A Job with a new name at every rendering is created, not changed.
    let as_written = failure(as_written).filter(|_| new.survey.random(now.object) != Some(Random::Name));
    let is_prevented = failure(emitted).is_none();
    let verdict = match verdict {
        Verdict::DoesNotRun { changed, when } if !is_prevented && !changed.is_empty() && !is_rejected(&when) => {
            Verdict::Fails(changed)
        }
        verdict => verdict,
    };
    let leftover = (matches!(verdict, Verdict::RunsAgain(_)) && !pair.has_one_name())
        .then(|| Leftover::of(emitted.0, pair.live, application));
    // Self-heal has created the one again that a TTL has deleted.
    let is_healed = application.heals(emitted.1);
    let is_applied_onto_it = pair.has_one_name() && !emitted.0.is_suspended() && is_patched(&now.when) && !is_healed;
    let until = match emitted.0.ttl() {
        _ if !is_applied_onto_it => None,
        ttl if emitted.1.ttl().is_some_and(|new| ttl.is_none_or(|old| new < old)) => emitted.1.ttl().map(Until::NewTtl),
        Some(ttl) => Some(Until::Ttl(ttl)),
        None if pair.live != Live::There || !emitted.0.is_hook() => None,
        None if [emitted.0, emitted.1].iter().all(|job| job.is_deleted_only_after_failure()) => Some(Until::FailedSync),
        None => Some(Until::Deleted),
    };
    Compared { as_written, is_prevented, leftover, until, ..part(now, new, verdict) }
}

/// Whether a Job is rejected whatever changed in it.
fn is_rejected(when: &When) -> bool {
    matches!(when, When::Rejected(_))
}

impl Comparison {
    /// What becomes of the Application, if the change removes it.
    pub fn gone(&self) -> Option<&Gone> {
        self.sync.as_ref()?.arrival.gone.as_ref()
    }

    /// True when the change has nothing to do with it, even if a sync fails: it failed before.
    pub fn is_untouched(&self) -> bool {
        self.starts.is_empty() && !self.is_refused() && self.jobs.iter().all(Compared::is_unchanged)
    }

    /// True when another object than a Job makes the sync fail, and not the one of the old version.
    pub fn is_refused(&self) -> bool {
        self.refused.iter().any(|one| !one.is_old)
    }

    /// Whether the change makes an object differ that Argo CD compares.
    pub fn differs(&self) -> bool {
        self.starts.iter().any(Start::is_of_the_change)
    }

    /// True when nothing has changed that concerns a Job or starts a sync, and nothing is wrong.
    pub fn is_quiet(&self) -> bool {
        self.jobs.iter().all(Compared::is_unchanged)
            && (self.gone().is_none() || self.jobs.is_empty())
            && !self.is_refused()
            && (self.jobs.is_empty()
                || self.starts.iter().all(Start::is_random)
                || !self.differs() && !self.auto_sync().may_start())
            && !self.findings.iter().any(NewOrOld::is_of_interest)
    }
}

impl Compared {
    /// Whether the sync starts it before it creates something that its pods need to start.
    pub fn cannot_start(&self) -> bool {
        let is_missing = |found: &ChangedUse| found.sees == Sees::Nothing;
        self.verdict.runs() && self.uses.iter().any(is_missing)
    }

    /// True when neither it nor what it uses has changed: what becomes of it does not come from the change.
    pub fn is_unchanged(&self) -> bool {
        self.uses.is_empty() && !matches!(self.verdict, Verdict::New(_)) && !self.verdict.is_a_change()
    }

    /// True when there is nothing to report about it: it does not run, and neither it nor what it uses has changed.
    pub fn is_as_before(&self) -> bool {
        let says_nothing = |changed: &[Because]| changed.is_empty() && self.as_written.is_none();
        let is_nothing = |when: &When| self.until.is_none() && !matches!(when, When::Suspended(_) | When::Rejected(_));
        matches!(&self.verdict, Verdict::DoesNotRun { when, changed } if says_nothing(changed) && is_nothing(when) && self.uses.is_empty())
    }
}
