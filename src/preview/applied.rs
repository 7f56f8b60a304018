//! What one sync applies: everything, or under `ApplyOutOfSyncOnly=true` only the hooks and what is OutOfSync.

use std::collections::BTreeSet;

use super::JobReport;
use super::snapshot::{Key, Snapshot, key_of};
use super::starts::{self, Ordinary, Start};
use super::steps::{Entry, Step, hold};
use super::when::{ByApplication, When};
use crate::argocd::Phase;
use crate::kubernetes::Job;
use crate::plan::is_trigger;
use crate::survey::sync_order::Moment;
use crate::survey::{ObjectState, Side, Survey};

/// The waves of one sync.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    /// The waves, with what is applied in them.
    pub(super) steps: Vec<Step>,
    /// When something is pruned.
    pruned: BTreeSet<Moment>,
    /// Whether the sync has several waves. Those in which it skips everything count too (`multiStep` in `gitops-engine/pkg/sync/sync_tasks.go`).
    has_several: bool,
}

impl Applied {
    /// A sync that applies everything and prunes nothing.
    pub(super) fn all(steps: &[Step]) -> Self {
        Self { steps: steps.to_vec(), pruned: BTreeSet::new(), has_several: steps.len() > 1 }
    }

    /// The sync that brings the new version.
    pub(super) fn of(ordinary: &Ordinary<'_>, starts: &[Start], new: Snapshot<'_>) -> Self {
        let mut all = Self::all(&new.report.steps);
        all.pruned = starts::prunings(ordinary, new).into_values().collect();
        let moments: BTreeSet<Moment> = all.steps.iter().map(Step::moment).chain(all.pruned.iter().copied()).collect();
        all.has_several = moments.len() > 1;
        if ByApplication::of(new.survey, new.argocd_version).skips_unchanged() {
            let out_of_sync: BTreeSet<&Key> = starts.iter().filter_map(|start| start.key.as_ref()).collect();
            let has_trigger = starts.iter().any(|start| start.key.is_none());
            // `filterOutOfSyncTasks` in `gitops-engine/pkg/sync/sync_context.go`
            let is_applied = |entry: &Entry| {
                let Some(state) = new.survey.objects[entry.object].on(Side::Emitted) else { return false };
                let key = key_of(state.object(), new.survey);
                let is_trigger = has_trigger && is_trigger(state.object().value());
                entry.is_hook || is_trigger || ordinary.hooks.contains(&key) || out_of_sync.contains(&key)
            };
            all.steps.iter_mut().for_each(|step| step.entries.retain(is_applied));
            all.steps.retain(|step| !step.entries.is_empty());
            hold(&mut all.steps);
        }
        all
    }

    /// Whether the sync waits for a suspended Job: for a hook, and for any Job that comes before another object or is beside a hook. Not for a Job
    /// of Kueue, which resumes it.
    pub(super) fn awaits(&self, report: &JobReport, survey: &Survey<'_>) -> bool {
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
