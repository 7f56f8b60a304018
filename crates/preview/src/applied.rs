//! What one sync applies: everything, or under `ApplyOutOfSyncOnly=true` only the hooks and what is OutOfSync.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Job;
use lint::survey::sync_order::Moment;
use lint::survey::{ObjectState, Side, Survey};
use rewrite::plan::is_trigger;

use super::Runnable;
use super::pair::AfterPruning;
use super::snapshot::{Key, Snapshot, key_of};
use super::starts::{Ordinary, Start};
use super::steps::{Entry, Step, hold};
use super::when::When;

/// The waves of one sync.
#[derive(Clone, Debug)]
pub(super) struct Applied<'s> {
    /// The waves, with what is applied in them.
    pub(super) steps: Cow<'s, [Step]>,
    /// When something is pruned.
    pruned: BTreeSet<Moment>,
    /// Whether the sync has several waves. A wave in which it skips everything counts too (`multiStep` in `gitops-engine/pkg/sync/sync_tasks.go`).
    has_several: bool,
    /// The hooks of Sync and PostSync that are created in PostSync, because in Sync the pruning of an ordinary object counts as their run.
    pub(super) postponed: BTreeSet<usize>,
}

impl<'s> Applied<'s> {
    /// A sync that applies everything and prunes nothing.
    pub(super) fn all(steps: &'s [Step]) -> Self {
        Self {
            steps: Cow::Borrowed(steps),
            pruned: BTreeSet::new(),
            has_several: steps.len() > 1,
            postponed: BTreeSet::new(),
        }
    }

    /// The sync that brings the new version; `prunings` are its moments of pruning.
    pub(super) fn of(
        ordinary: &Ordinary<'_>,
        starts: &[Start],
        prunings: &BTreeMap<&Key, Moment>,
        new: Snapshot<'_>,
    ) -> Self {
        let mut steps = new.report.steps.clone();
        let postponed = postpone(&mut steps, ordinary, new);
        let pruned: BTreeSet<Moment> = prunings.values().copied().collect();
        let moments: BTreeSet<Moment> = steps.iter().map(Step::moment).chain(pruned.iter().copied()).collect();
        if new.application().skips_unchanged() {
            let out_of_sync: BTreeSet<&Key> = starts.iter().filter_map(|start| start.key.as_ref()).collect();
            let has_trigger = starts.iter().any(|start| start.key.is_none());
            // `filterOutOfSyncTasks` in `gitops-engine/pkg/sync/sync_context.go`
            let is_applied = |entry: &Entry| {
                let Some(state) = new.emitted(entry.object) else { return false };
                let key = key_of(state.object(), new.survey);
                let is_trigger = has_trigger && is_trigger(state.object().value());
                entry.is_hook || is_trigger || ordinary.hooks.contains(&key) || out_of_sync.contains(&key)
            };
            steps.iter_mut().for_each(|step| step.entries.retain(is_applied));
            steps.retain(|step| !step.entries.is_empty());
            hold(&mut steps);
        }
        Self { steps: Cow::Owned(steps), pruned, has_several: moments.len() > 1, postponed }
    }

    /// Whether the sync waits for a suspended Job: for a hook, and for any Job that comes before another object or is in a wave with a hook. Not for
    /// a Job of Kueue, which resumes it.
    pub(super) fn awaits(&self, report: &Runnable, survey: &Survey<'_>) -> bool {
        let (When::Suspended(_), Some(moment)) = (&report.when, report.moment) else { return false };
        let Some(job) = survey.objects[report.object].on(Side::Emitted).and_then(ObjectState::job) else {
            return false;
        };
        !job.is_queued() && self.waits_for(job, moment)
    }

    /// Whether the sync waits for a Job that it applies at this moment: that it has ended, and succeeded.
    pub(super) fn waits_for(&self, job: &Job, moment: Moment) -> bool {
        // The engine moves a Namespace or a CustomResourceDefinition to the first object that needs it.
        let counts = |entry: &Entry| !["Namespace", "CustomResourceDefinition"].contains(&entry.kind.as_str());
        let is_later = |step: &&Step| step.moment() > moment && step.phase != Phase::SyncFail;
        let later = self.steps.iter().filter(is_later).any(|step| step.entries.iter().any(counts));
        let later = later || self.pruned.iter().any(|pruned| *pruned > moment);
        // A sync that still waits for a hook of the last wave then waits for that wave, if it has another one, of SyncFail too.
        let is_here = |step: &&Step| step.moment() == moment;
        let beside = self.steps.iter().filter(is_here).flat_map(|step| &step.entries).any(|entry| entry.is_hook);
        job.is_hook() || later || beside && self.has_several
    }
}

/// Moves the hooks that are created in PostSync only, and returns them.
fn postpone(steps: &mut Vec<Step>, ordinary: &Ordinary<'_>, new: Snapshot<'_>) -> BTreeSet<usize> {
    let application = new.application();
    let is_postponed = |entry: &Entry| {
        // Only a hook can be postponed. Other objects are skipped, because computing their keys takes time.
        let object = new.emitted(entry.object).map(ObjectState::object);
        let object = object.filter(|object| entry.is_hook && object.phases().contains(&Phase::PostSync));
        let before = object.and_then(|object| ordinary.before(&key_of(object, new.survey)));
        object.zip(before).is_some_and(|(object, before)| {
            AfterPruning::of((before.object(), object), application) == Some(AfterPruning::Created)
        })
    };
    let mut moved = Vec::new();
    for step in steps.iter_mut().filter(|step| step.phase == Phase::Sync) {
        let entries = step.entries.extract_if(.., |entry| is_postponed(entry));
        moved.extend(entries.map(|entry| (step.wave, entry)));
    }
    let postponed = moved.iter().map(|(_, entry)| entry.object).collect();
    for (wave, entry) in moved {
        match steps.iter_mut().find(|step| step.phase == Phase::PostSync && step.wave == wave) {
            Some(step) => step.entries.push(entry),
            None => steps.push(Step { phase: Phase::PostSync, wave, entries: vec![entry] }),
        }
    }
    steps.retain(|step| !step.entries.is_empty());
    steps.sort_by_key(Step::moment);
    postponed
}
