//! Compares two versions of one source: which Jobs run again, which field made them, and what would have happened to the manifests as written.

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};
use lint::survey::sync_order::Absence;
use lint::survey::{ObjectState, Random, Side};

use super::applied::Applied;
use super::by_application::ByApplication;
use super::comparison::{Compared, Comparison, NewOrOld, Unapplied, Until};
use super::live::{Leftover, Live};
use super::pair::{Pair, failure, is_applied, is_patched};
use super::snapshot::{Key, Snapshot, key, shown_name};
use super::starts::{Ordinary, Refused};
use super::stop::{Halt, Rest, Stop};
use super::uses::Uses;
use super::verdict::Verdict;
use super::{Rejection, Runnable, Step, When, data_hooks, hook, starts};

/// Compares two versions. `findings` are the open ones of the new version.
pub(crate) fn compare(old: Snapshot<'_>, new: Snapshot<'_>, findings: Vec<NewOrOld>) -> Comparison {
    let ordinary = Ordinary::of(old, new);
    let application = new.application();
    let (mut jobs, left) = paired(&ordinary, old, new);
    let (starts, starts_to_prune) = (starts::starts(&ordinary, old, new), starts::starts_to_prune(&ordinary, old, new));
    let prunings = starts::prunings(&ordinary, new);
    let applied = Applied::of(&ordinary, &starts, &prunings, new);
    let of_jobs = || new.report.jobs.iter();
    for (_, job) in of_jobs().zip(&mut jobs).filter(|(report, _)| applied.postponed.contains(&report.object)) {
        job.moment.iter_mut().for_each(|moment| moment.phase = Phase::PostSync);
    }
    let awaited: Vec<bool> = of_jobs().map(|report| applied.awaits(report, new.survey)).collect();
    let stops = of_jobs().zip(&jobs).zip(&awaited);
    let stops = stops.map(|((report, job), awaited)| job.verdict.stop(report, *awaited, application));
    let stops: Vec<Option<Stop>> = stops.collect();
    let mut refused = starts::refused(&ordinary, new);
    let refusals = refused.iter().filter_map(|one| one.stop(application));
    let confirmation = starts::confirmation(&ordinary, &prunings, application);
    let stop = stops.iter().copied().flatten().chain(refusals).chain(confirmation).min();
    let gone = new.gone();
    // The deletion of the Application is not a sync.
    let stop = stop.filter(|_| gone.is_none());
    refused.retain(|one| stop.zip(one.stop(application)).is_none_or(|(stop, own)| stop.meets(own)));
    jobs.extend(left_behind(&left, old, new));
    let of_data = data_hooks::changed(old, new, &jobs);
    jobs.extend(of_data);
    block(&mut jobs, &stops, stop);
    let rest = rest(&jobs, &refused, stop, &applied.steps);
    let steps = steps_that_run(&jobs, stop, applied.steps.into_owned(), new);
    attach(&mut jobs, new, &findings);
    let sync = new.survey.application.sync.clone();
    let mut comparison = Comparison {
        jobs,
        starts,
        starts_to_prune,
        deletes_all: !starts_to_prune && !new.survey.application.may_have_more && ordinary.leaves_nothing(new),
        sync,
        steps,
        refused,
        stop,
        rest,
        findings,
        is_upgrade: false,
        goes_back_to: None,
    };
    mark(&mut comparison, &awaited, new);
    comparison
}

/// The Jobs and hooks of the new version, each with its verdict, and the objects of those that only the old version has.
fn paired(ordinary: &Ordinary<'_>, old: Snapshot<'_>, new: Snapshot<'_>) -> (Vec<Compared>, BTreeSet<usize>) {
    // Of several with one name Argo CD takes the last: the others are each other's earlier versions.
    let mut left: BTreeMap<(bool, Key), Vec<&Runnable>> = BTreeMap::new();
    for job in old.report.jobs.iter().rev() {
        left.entry((is_repeated(job), key(job, old))).or_default().push(job);
    }
    let suspended = SuspendedTemplate::of_cluster(new.survey.application.kube_version.as_deref());
    let uses = Uses::of(old, new);
    let mut jobs = Vec::new();
    for job in &new.report.jobs {
        let key = (is_repeated(job), key(job, new));
        let before = left.get_mut(&key).and_then(Vec::pop);
        let uses = uses.changed(before, job);
        let unapplied = before.and_then(|before| Unapplied::of(&before.when));
        let compared = match job.job {
            Some(_) => compared(before, job, (old, new), suspended),
            None => {
                let before = before.and_then(|before| old.emitted(before.object));
                let before = before.or_else(|| ordinary.before(&key.1));
                part(job, new, hook::verdict(before, job, new))
            }
        };
        jobs.push(Compared { uses, unapplied, ..compared });
    }
    let left = left.into_iter().filter(|((is_repeated, _), _)| !is_repeated).flat_map(|(_, jobs)| jobs);
    (jobs, left.map(|job| job.object).collect())
}

/// The Jobs and hooks of the old version that are gone. `left` are the indices of their objects.
fn left_behind(left: &BTreeSet<usize>, old: Snapshot<'_>, new: Snapshot<'_>) -> Vec<Compared> {
    let application = new.application();
    let gone = new.gone();
    let mut jobs = Vec::new();
    let named = LazyCell::new(|| new.by_key(|state| state.object().name().is_some()));
    for report in old.report.jobs.iter().filter(|job| left.contains(&job.object)) {
        let leftover = match report.job {
            Some(_) => job(report, old, Side::Emitted)
                .map(|job| Leftover::of(job, live(report, job, application), application)),
            None => hook::leftover(report, old, &named, application),
        };
        let Some(leftover) = leftover else { continue };
        let object = old.emitted(report.object).map(ObjectState::object);
        let leftover = match gone.zip(object) {
            Some((gone, object)) => leftover.with_application(object, report.at_deletion, gone),
            None => leftover,
        };
        jobs.push(Compared { object: None, moment: None, ..part(report, old, Verdict::Gone(leftover)) });
    }
    jobs
}

/// Sets `is_due` and `is_over` of the findings. `awaited` says for each Job of the new version whether the sync waits for it while it is suspended.
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

/// Changes the verdicts for a sync that ends or waits at `stop`: of Jobs that it does not reach, and of SyncFail hooks, which run. `own` are the ends
/// that the Jobs of the new version would make, which come first in `jobs`.
fn block(jobs: &mut [Compared], own: &[Option<Stop>], stop: Option<Stop>) {
    let Some(stop) = stop else { return };
    let own = own.iter().copied().chain(std::iter::repeat(None));
    for (job, own) in jobs.iter_mut().zip(own) {
        let is_reached = match own {
            Some(own) => stop.meets(own),
            None => job.moment.is_none_or(|moment| stop.reaches(moment)),
        };
        let of_failure = match &job.verdict {
            Verdict::New(when) | Verdict::DoesNotRun { when, .. } if *when == When::FailedSync => true,
            Verdict::New(when) | Verdict::EverySync { when, .. } => !is_reached && when.is_also_after_failure(),
            _ => false,
        };
        let is_failure =
            |verdict: &Verdict| matches!(verdict, Verdict::Fails(_) | Verdict::Collides(_)) || verdict.is_rejected();
        job.fails_in_comparison = own.is_some_and(|own| own == stop && own.why == Halt::Comparison);
        let otherwise = Box::new(job.verdict.clone());
        if job.is_of_failure && job.verdict.is_rejected() && !is_reached && stop.runs_hooks_for(Phase::SyncFail) {
            job.moment.iter_mut().for_each(|moment| moment.phase = Phase::SyncFail);
        } else if of_failure && stop.runs_hooks_for(Phase::SyncFail) {
            job.verdict = Verdict::AfterFailure(otherwise);
            job.moment.iter_mut().for_each(|moment| moment.phase = Phase::SyncFail);
        } else if !is_reached && (job.verdict.runs() || is_failure(&job.verdict)) {
            job.verdict = Verdict::Blocked(otherwise, stop.why);
        }
    }
}

/// What a sync that ends or waits at `stop` applies, and what not.
fn rest(jobs: &[Compared], refused: &[Refused], stop: Option<Stop>, steps: &[Step]) -> Rest {
    let is_failing = |verdict: &Verdict| match verdict {
        Verdict::Fails(_) | Verdict::Collides(_) => true,
        verdict => matches!(verdict.when(), Some(When::Suspended(_) | When::Rejected(_))),
    };
    let failing = jobs.iter().filter(|job| is_failing(&job.verdict)).map(|job| job.moment);
    let failing = failing.chain(refused.iter().map(|one| one.moment)).flatten();
    stop.map(|stop| Rest::of(stop, steps, failing)).unwrap_or_default()
}

/// The waves in which a Job runs, without the Jobs that do not run.
fn steps_that_run(jobs: &[Compared], stop: Option<Stop>, mut steps: Vec<Step>, new: Snapshot<'_>) -> Vec<Step> {
    let run: BTreeSet<usize> =
        new.report.jobs.iter().zip(jobs).filter(|(_, job)| job.verdict.runs()).map(|(job, _)| job.object).collect();
    steps.iter_mut().for_each(|step| step.entries.retain(|entry| !entry.runs || run.contains(&entry.object)));
    let is_reached = |step: &Step| stop.is_none_or(|stop| stop.reaches(step.moment()));
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
        is_hook: job.is_hook,
        at_deletion: job.at_deletion,
        namespace: job.namespace.clone(),
        emitted: job.emitted.clone(),
        moment: job.moment,
        is_of_failure: job.is_of_failure,
        ..Compared::new(job.kind.clone(), shown_name(job, version), job.place.clone(), verdict)
    }
}

/// The Job of an object on one side.
fn job<'v>(report: &Runnable, version: Snapshot<'v>, side: Side) -> Option<&'v Job> {
    version.survey.objects[report.object].on(side)?.job()
}

/// Whether one of the Jobs is not as it is written.
fn is_rewritten(as_written: (&Job, &Job), emitted: (&Job, &Job)) -> bool {
    as_written.0.value() != emitted.0.value() || as_written.1.value() != emitted.1.value()
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
    let of_old = Live::of(emitted.0, application);
    let live = if is_rejected(&before.when) { Live::Never } else { of_old };
    let is_applied_to_it = |(old, new): (&Job, &Job)| live == Live::There && old.name() == new.name();
    let applied = |pair: (&Job, &Job)| {
        let patched = is_applied_to_it(pair).then(|| application.applied(pair.1, pair.0).into_owned());
        patched.unwrap_or_else(|| pair.1.clone())
    };
    let (as_written, emitted) = ((as_written.0, &applied(as_written)), (emitted.0, &applied(emitted)));
    let pair = Pair { plans, was: &before.when, jobs: emitted, live, application, suspended, refused: OnceCell::new() };
    let verdict = match &before.when {
        // No sync has applied the old Job, so the new one is created.
        When::Never(_) | When::Rejected(_) if is_applied(&now.when) => Verdict::New(now.when.clone()),
        _ => pair.verdict(now, new.survey.source(now.object).has_trigger()),
    };
    // A Job with a new name at every rendering is created, not changed; and what is ignored is neither.
    let is_updated = new.survey.random(now.object) != Some(Random::Name) && !is_repeated(now);
    let of_emitted = failure(emitted, of_old, application, || pair.refused().to_vec());
    let is_prevented = of_emitted.is_none();
    let of_written = if is_rewritten(as_written, emitted) {
        let refused = || immutability::refused(as_written.0, as_written.1, suspended);
        failure(as_written, Live::of(as_written.0, application), application, refused)
    } else {
        of_emitted
    };
    let as_written = of_written.filter(|_| is_updated);
    let verdict = match verdict {
        Verdict::DoesNotRun { changed, when }
            if !is_prevented && !changed.is_empty() && !is_rejected(&when) && !is_repeated(now) =>
        {
            Verdict::Fails(changed)
        }
        Verdict::DoesNotRun { changed, when: When::Rejected(Rejection::Invalid) }
            if pair.is_on_the_live_one() && !emitted.1.is_hook() && application.cannot_compare(emitted.1) =>
        {
            Verdict::DoesNotRun { changed, when: When::Rejected(Rejection::InComparison) }
        }
        verdict => verdict,
    };
    let leftover = (matches!(verdict, Verdict::RunsAgain(_)) && !pair.has_one_name())
        .then(|| Leftover::of(emitted.0, pair.live, application));
    // With self-heal, Argo CD has already created the Job again that its TTL deleted.
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
