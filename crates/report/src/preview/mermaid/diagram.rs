//! What a diagram of a sync shows, as values: its waves in their order, and in each what happens to which Jobs.

use std::collections::BTreeMap;

use kube_jobs::argocd::{Phase, Waits};
use lint::survey::sync_order::Moment;
use preview::{Compared, Comparison, Entry, Halt, Held, Report, Runnable, Step, Stop, Verdict, When};

use super::super::groups::{Group, groups};
use super::super::headline::in_short;
use super::super::order::{Repeated, ends, group, waiting};
use super::super::{against, uses};
use crate::grouped::grouped;

/// A sync.
pub(super) struct Diagram {
    /// Its waves, in their order.
    pub(super) waves: Vec<Wave>,
    /// Where it certainly ends or waits.
    pub(super) stop: Option<Stop>,
    /// Whether it applies everything all the same.
    pub(super) is_all_applied: bool,
    /// What no wave has.
    pub(super) outside: Vec<Node>,
}

/// What a sync applies in a wave of a phase.
pub(super) struct Wave {
    /// Which one.
    pub(super) moment: Moment,
    /// What it applies.
    pub(super) nodes: Vec<Node>,
    /// Whether the sync begins the next wave only when this one has succeeded.
    pub(super) is_awaited: bool,
}

/// Objects of a wave to which the same happens.
pub(super) struct Node {
    /// Lines with their names.
    pub(super) names: Vec<String>,
    /// Lines that say what happens, and why.
    pub(super) what: Vec<String>,
    /// How it is drawn.
    pub(super) look: Look,
}

/// How a node is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// It runs because of the change, or if it is new or changed.
    Runs,
    /// It runs at every sync.
    Every,
    /// It makes the sync fail, or never runs.
    Fails,
    /// The sync does not come to it, or waits for it.
    Waits,
    /// Anything else.
    Rest,
}

/// The most names of a node.
const NAMES: usize = 8;

/// The most characters of the line for resources of other kinds.
const ROOM: usize = 60;

impl Diagram {
    /// The sync of a report.
    pub(super) fn of_report(report: &Report) -> Self {
        let of_object: BTreeMap<usize, &Runnable> = report.jobs.iter().map(|job| (job.object, job)).collect();
        let wave = |step: &Step| {
            let running =
                step.entries.iter().filter(|entry| entry.runs).map(|entry| match of_object.get(&entry.object) {
                    Some(job) => (when(job), look_of(&job.when, step, report.stop), entry),
                    None => (String::new(), Look::Rest, entry),
                });
            let alike = grouped(running, |(what, ..)| what.clone());
            let node = |alike: Vec<(String, Look, &Entry)>| {
                let (what, look, first) = &alike[0];
                let held = first.held.as_ref().map(waiting).unwrap_or_default();
                let names = names(alike.iter().map(|(.., entry)| qualified(entry)));
                Node { names, what: vec![what.clone(), held], look: *look }
            };
            of_step(step, alike.into_iter().map(node).collect())
        };
        let waves = report.steps.iter().map(wave).collect();
        Self { waves, stop: report.stop, is_all_applied: false, outside: Vec::new() }
    }

    /// The sync of a comparison.
    pub(super) fn of_comparison(comparison: &Comparison) -> Self {
        let mut by_moment: BTreeMap<Moment, Vec<Node>> = BTreeMap::new();
        let mut outside = Vec::new();
        let name = against::name_in(comparison);
        let entries = comparison.steps.iter().flat_map(|step| &step.entries);
        let held: BTreeMap<usize, &Held> =
            entries.filter_map(|entry| Some((entry.object, entry.held.as_ref()?))).collect();
        for group in &groups(comparison, false) {
            let Some((first, _)) = group.jobs.first() else { continue };
            let held = first.object.and_then(|object| held.get(&object)).map(|held| waiting(held));
            let node = of_group(group, first, held.unwrap_or_default(), name);
            match first.moment {
                Some(moment) => by_moment.entry(moment).or_default().push(node),
                None => outside.push(node),
            }
        }
        for one in &comparison.refused {
            let node = Node { names: Vec::new(), what: vec![against::refused(one)], look: Look::Fails };
            match one.moment {
                Some(moment) => by_moment.entry(moment).or_default().push(node),
                None => outside.push(node),
            }
        }
        let first: BTreeMap<usize, Moment> =
            comparison.jobs.iter().filter_map(|job| Some((job.object?, job.moment?))).collect();
        let mut waves: BTreeMap<Moment, Wave> = BTreeMap::new();
        for step in &comparison.steps {
            let moment = step.moment();
            let mut nodes = by_moment.remove(&moment).unwrap_or_default();
            let again = |entry: &&Entry| entry.runs && first.get(&entry.object).is_some_and(|first| *first != moment);
            let again: Vec<String> = step.entries.iter().filter(again).map(qualified).collect();
            if !again.is_empty() {
                let what = vec!["runs here too".to_owned()];
                nodes.push(Node { names: names(again.into_iter()), what, look: Look::Every });
            }
            waves.insert(moment, of_step(step, nodes));
        }
        for (moment, nodes) in by_moment {
            waves.insert(moment, Wave { moment, nodes, is_awaited: true });
        }
        let is_all_applied = comparison.rest.left_out == 0;
        Self { waves: waves.into_values().collect(), stop: comparison.stop, is_all_applied, outside }
    }

    /// How many waves come before the place where the sync ends or waits; none if it does neither.
    pub(super) fn reached(&self) -> Option<usize> {
        let stop = self.stop?;
        let is_before = |wave: &&Wave| wave.moment.phase != Phase::SyncFail && stop.reaches(wave.moment);
        Some(self.waves.iter().filter(is_before).count())
    }

    /// The sentence that says where it ends or waits, and how that is drawn.
    pub(super) fn end(&self) -> Option<(String, Look)> {
        let stop = self.stop?;
        let is_failure = matches!(stop.why, Halt::Comparison | Halt::Failure);
        Some((ends(stop, self.is_all_applied), if is_failure { Look::Fails } else { Look::Waits }))
    }

    /// Whether the hooks of this wave run because the sync fails.
    pub(super) fn runs_hooks_for(&self, moment: Moment) -> bool {
        self.stop.is_some_and(|stop| stop.runs_hooks_for(moment.phase))
    }
}

/// A wave with these nodes for what runs in it.
fn of_step(step: &Step, mut nodes: Vec<Node>) -> Wave {
    let others: Vec<&Entry> = step.entries.iter().filter(|entry| !entry.runs).collect();
    if !others.is_empty() {
        let what = vec![group(others, &Repeated::new(), ROOM)];
        nodes.push(Node { names: Vec::new(), what, look: Look::Rest });
    }
    let mut running = step.entries.iter().filter(|entry| entry.runs);
    let is_awaited =
        running.clone().next().is_none() || running.any(|entry| !entry.is_hook || entry.waits != Waits::No);
    Wave { moment: step.moment(), nodes, is_awaited }
}

/// `runs: once per change`
fn when(job: &Runnable) -> String {
    let verb = if matches!(job.when, When::Rejected(_)) { "" } else { "runs: " };
    format!("{verb}{}", job.when)
}

/// How a Job of one version is drawn in this wave of a sync that ends or waits at `stop`.
fn look_of(when: &When, step: &Step, stop: Option<Stop>) -> Look {
    let is_reached = stop.is_none_or(|stop| stop.reaches(step.moment()));
    match when {
        When::Rejected(_) | When::FailsUnchanged(_) => Look::Fails,
        When::Suspended(_) => Look::Waits,
        When::FailedSync if stop.is_some_and(|stop| stop.runs_hooks_for(step.phase)) => Look::Runs,
        When::Baseline | When::FailedSync | When::Never(_) => Look::Rest,
        _ if !is_reached => Look::Waits,
        when if when.is_every_sync() => Look::Every,
        _ => Look::Runs,
    }
}

/// Jobs of a comparison: what happens to them, the first reason, the change of something that they use, and what waits for them (`held`).
fn of_group(group: &Group<'_>, first: &Compared, held: String, name: against::Name) -> Node {
    let is_one = group.jobs.len() == 1;
    let [of_one, of_several] = in_short(first).unwrap_or_default();
    let about = first.verdict.about(is_one, "", !first.uses.is_empty());
    let uses = first.uses.first().map(|found| uses::text(found, first, is_one, false)).unwrap_or_default();
    let what = vec![about, if is_one { of_one } else { of_several }, uses, held];
    let look = match &first.verdict {
        verdict if verdict.is_an_error() => Look::Fails,
        Verdict::Blocked(..) => Look::Waits,
        Verdict::EverySync { .. } => Look::Every,
        verdict if matches!(verdict.when(), Some(When::Suspended(_))) => Look::Waits,
        verdict if verdict.runs() => Look::Runs,
        _ => Look::Rest,
    };
    Node { names: names(group.jobs.iter().map(|(job, _)| name(job))), what, look }
}

/// The first names, and how many more there are.
fn names(all: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMES);
    let mut names: Vec<String> = all.take(NAMES).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names
}

/// `migrate`, `Workflow prod/migrate`
fn qualified(entry: &Entry) -> String {
    if entry.kind == "Job" { entry.name.clone() } else { format!("{} {}", entry.kind, entry.name) }
}
