//! The Jobs of a comparison in groups that share a verdict and a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use kube_jobs::kubernetes::{Alike, Difference};
use preview::{Because, Compared, Comparison, Failure, Leftover, Renamed, Until, Verdict, When};

use super::uses;
use crate::grouped::grouped;

/// Jobs with the same verdict, in the same wave, with a reason in common.
#[derive(Clone, Debug)]
pub(super) struct Group<'c> {
    /// The Jobs, each with the reasons that the others do not have.
    pub(super) jobs: Vec<(&'c Compared, Vec<String>)>,
    /// The reasons that all of them have.
    pub(super) reasons: Vec<String>,
    /// What else there is to say about each.
    pub(super) notes: Vec<String>,
}

/// All Jobs about which there is something to say: first the Jobs that break the sync or never run, then in the order of the comparison.
/// `all` says that no Job shares a group with another one.
pub(super) fn groups(comparison: &Comparison, all: bool) -> Vec<Group<'_>> {
    let shown = comparison.jobs.iter().enumerate().filter(|(_, job)| !job.is_as_before());
    // What makes two Jobs alike, except for the reasons.
    let key = |(index, job): &(usize, &Compared)| {
        let verdict = job.verdict.about(&job.kind, false, "", !job.uses.is_empty());
        (all.then_some(*index), job.kind.clone(), verdict, job.moment, notes(job, comparison, all))
    };
    let mut alike = grouped(shown, key);
    alike.sort_by_key(|jobs| !jobs[0].1.verdict.is_an_error());
    alike.into_iter().flat_map(|jobs| with_common_reasons(jobs, comparison, all)).collect()
}

/// A reason, and how it reads when other Jobs have it in other containers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    text: String,
    general: String,
    /// Whether `general` is about several Jobs, also when they have it in the same place.
    is_of_several: bool,
}

/// A reason or a difference, with long values cut unless all is shown.
fn shown(reason: &impl Display, all: bool) -> String {
    if all { format!("{reason:#}") } else { reason.to_string() }
}

/// The fields that changed, except generated names of changed objects that the Job uses.
fn fields(job: &Compared) -> Vec<&Difference> {
    let names = Renamed::of(&job.uses);
    let fields = job.verdict.otherwise().changed().iter().filter_map(Because::field);
    fields.filter(|field| !names.explains(field)).collect()
}

/// Texts about changed fields: one for fields that change alike, or one for each if all is shown.
fn texts<'d>(fields: impl IntoIterator<Item = &'d Difference>, all: bool) -> Vec<(String, String)> {
    let alike = match all {
        true => fields.into_iter().flat_map(|field| Alike::of([field])).collect(),
        false => Alike::of(fields),
    };
    let general = |alike: &Alike<'_>| alike.first().map(Difference::in_general).unwrap_or_default();
    alike.iter().map(|alike| (shown(alike, all), general(alike))).collect()
}

/// The reasons of a verdict: the fields that changed, images first, and other changes; and the changed objects that the Job uses, instead of
/// their generated names.
fn reasons(job: &Compared, all: bool) -> Vec<Reason> {
    let reason = |(text, general): (String, String)| Reason { text, general, is_of_several: false };
    let mut reasons: Vec<Reason> = texts(fields(job), all).into_iter().map(reason).collect();
    let others = job.verdict.otherwise().changed().iter().filter(|because| because.field().is_none());
    reasons.extend(others.map(|because| reason((shown(because, all), because.in_general()))));
    reasons.extend(job.uses.iter().map(|found| {
        let [text, general] = [true, false].map(|is_one| uses::text(found, job, is_one, all));
        Reason { text, general, is_of_several: true }
    }));
    reasons.sort_by_key(|reason| (!reason.text.starts_with("image of "), !reason.is_of_several));
    reasons
}

/// What else there is to say: whether the change of a hook starts a sync, and what would have become of the Job as written.
pub(super) fn notes(job: &Compared, comparison: &Comparison, all: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let is_rendering = matches!(job.verdict.when(), Some(When::EveryRendering(_)));
    if matches!(job.verdict, Verdict::EverySync { starts: true, .. })
        && !is_rendering
        && comparison.auto_sync().may_start()
    {
        notes.push("this change triggers auto-sync".to_owned());
    }
    notes.extend(conditions(job));
    let is_said = |failure: &Failure| match job.verdict {
        Verdict::Fails(_) => *failure != Failure::ReplaceAlone,
        _ => job.verdict.is_rejected(),
    };
    let Some(failure) = job.as_written.as_ref().filter(|failure| !is_said(failure)) else {
        return notes;
    };
    let subject = match job.verdict {
        _ if job.is_prevented => "without argocd-jobs the sync fails",
        Verdict::Blocked(..) => "a sync that comes to it fails",
        _ => "the sync fails",
    };
    notes.push(format!("{subject}{}", failure.why()));
    if let Failure::Immutable(immutable) = failure {
        let names = Renamed::of(&job.uses);
        let said: BTreeSet<String> = fields(job).iter().map(|field| field.to_string()).collect();
        let others = immutable.iter().filter(|field| !names.explains(field) && !said.contains(&field.to_string()));
        notes.extend(texts(others, all).into_iter().map(|(text, _)| text));
    }
    notes
}

/// A line about the earlier Job: what happens to it if it has another name, or what the new Job does if the assumption about it is wrong.
fn conditions(job: &Compared) -> Option<String> {
    let text = match (&job.verdict, job.leftover, job.until) {
        (_, Some(Leftover::OutOfSync), _) => {
            "the earlier Job stays (`Prune=false`), and the Application is OutOfSync after the sync"
        }
        (_, Some(Leftover::Confirmed), _) => {
            "the sync waits until somebody confirms that the earlier Job is deleted (`Prune=confirm`)"
        }
        (Verdict::DoesNotRun { .. }, _, Some(Until::NewTtl(ttl))) => {
            return Some(format!(
                "if the earlier Job ended more than {ttl} s ago, its new TTL deletes it at once: the sync may fail, and the next one runs the Job again"
            ));
        }
        (Verdict::RunsAgain(because), _, Some(Until::Ttl(1..))) if because.len() == 1 => {
            "if the earlier Job is still there, it does not run"
        }
        (Verdict::RunsAgain(because), _, Some(Until::Ttl(1..) | Until::NewTtl(_))) => {
            let is_refused = |because: &Because| matches!(because, Because::Ttl { is_refused_otherwise: true, .. });
            match because.iter().any(is_refused) {
                true => "if the earlier Job is still there, the sync fails with `field is immutable`",
                false => "if the earlier Job is still there, it is changed in place and does not run",
            }
        }
        (Verdict::DoesNotRun { .. } | Verdict::Fails(_), _, Some(Until::Ttl(_))) => {
            "if its TTL has deleted the earlier Job, it runs"
        }
        (Verdict::DoesNotRun { .. } | Verdict::Fails(_), _, Some(Until::Deleted)) => {
            "it is applied to the Job that the last sync left; if that Job has been deleted, it runs"
        }
        (Verdict::DoesNotRun { .. } | Verdict::Fails(_), _, Some(Until::FailedSync)) => {
            "it is applied to the Job that the last sync left; if a sync has failed since, it runs"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// Splits Jobs that are alike into groups with a reason in common: of the reasons of a Job the one that most Jobs have.
fn with_common_reasons<'c>(jobs: Vec<(usize, &'c Compared)>, comparison: &Comparison, all: bool) -> Vec<Group<'c>> {
    let with_reasons: Vec<(&Compared, Vec<Reason>)> =
        jobs.into_iter().map(|(_, job)| (job, reasons(job, all))).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in with_reasons.iter().flat_map(|(_, reasons)| reasons) {
        *counts.entry(&reason.general).or_default() += 1;
    }
    let count = |reason: &&Reason| counts.get(reason.general.as_str());
    let groups = grouped(&with_reasons, |(_, reasons)| {
        // `max_by_key` takes the last of several.
        reasons.iter().rev().max_by_key(count).map(|reason| reason.general.as_str())
    });
    groups.iter().map(|jobs| group(jobs, comparison, all)).collect()
}

fn group<'c>(jobs: &[&(&'c Compared, Vec<Reason>)], comparison: &Comparison, all: bool) -> Group<'c> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut exact: BTreeMap<&Reason, usize> = BTreeMap::new();
    for (_, reasons) in jobs {
        reasons.iter().map(|reason| reason.general.as_str()).collect::<BTreeSet<_>>().into_iter().for_each(|general| {
            *counts.entry(general).or_default() += 1;
        });
        reasons.iter().collect::<BTreeSet<_>>().into_iter().for_each(|reason| *exact.entry(reason).or_default() += 1);
    }
    let is_common = |reason: &&Reason| counts.get(reason.general.as_str()) == Some(&jobs.len());
    let common: Vec<&Reason> =
        jobs.first().map(|(_, of_first)| of_first.iter().filter(is_common).collect()).unwrap_or_default();
    let known: BTreeSet<&str> = common.iter().map(|reason| reason.general.as_str()).collect();
    let is_exact = |reason: &Reason| exact.get(reason) == Some(&jobs.len());
    let is_as_of_one = |reason: &Reason| is_exact(reason) && !(reason.is_of_several && jobs.len() > 1);
    let shown = |reason: &&Reason| if is_as_of_one(reason) { reason.text.clone() } else { reason.general.clone() };
    let mut reasons: Vec<String> = common.iter().map(shown).collect();
    reasons.dedup();
    let own = |of_job: &[Reason]| {
        of_job
            .iter()
            .filter(|reason| !known.contains(reason.general.as_str()))
            .map(|reason| reason.text.clone())
            .collect()
    };
    let notes = jobs.first().map(|(job, _)| notes(job, comparison, all)).unwrap_or_default();
    Group { reasons, notes, jobs: jobs.iter().map(|(job, of_job)| (*job, own(of_job))).collect() }
}
