//! The order of a sync, waves with what is applied in them.

use kube_jobs::argocd::{Phase, Ready, Version, Waits};
use kube_jobs::kubernetes::pod;
use lint::survey::sync_order::{self, Moment, Task};
use lint::survey::{Side, Survey};
use serde::Serialize;

/// One wave of one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The phase.
    pub phase: Phase,
    /// The wave.
    pub wave: i64,
    /// What is applied, in order.
    #[serde(rename = "objects")]
    pub entries: Vec<Entry>,
}

impl Step {
    /// The phase and the wave.
    pub fn moment(&self) -> Moment {
        Moment { phase: self.phase, wave: self.wave }
    }
}

/// One object that is applied in a wave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The index of the object in the survey.
    #[serde(skip)]
    pub object: usize,
    /// The API group; empty for the core group.
    pub group: String,
    /// `kind`
    pub kind: String,
    /// `metadata.namespace`, or the Application's when that is known.
    pub namespace: Option<String>,
    /// `metadata.name`, or the `generateName` with `…`.
    pub name: String,
    /// Whether it runs something: it is a Job, or such a hook.
    #[serde(skip)]
    pub runs: bool,
    /// Whether it is a hook.
    #[serde(rename = "hook")]
    pub is_hook: bool,
    /// Whether a sync waits for it; only said of a hook.
    #[serde(skip)]
    pub waits: Waits,
    /// The state that the object must reach before the sync goes on; none if the sync does not wait for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Ready>,
    /// The workloads that wait for it, if it is an ordinary Job.
    #[serde(skip)]
    pub held: Option<Held>,
}

/// The workloads that are rolled out only when a Job in an earlier wave has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Kind and name of the first one.
    pub first: (String, String),
    /// How many more there are.
    pub more: usize,
}

/// The waves of a sync in their order.
pub fn steps(survey: &Survey<'_>, side: Side, version: Version) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for task in sync_order::tasks(survey, side) {
        let Some(entry) = entry(survey, side, version, &task) else { continue };
        match steps.last_mut().filter(|step| (step.phase, step.wave) == (task.phase, task.wave)) {
            Some(step) => step.entries.push(entry),
            None => steps.push(Step { phase: task.phase, wave: task.wave, entries: vec![entry] }),
        }
    }
    hold(&mut steps);
    forget_what_ends_the_sync(&mut steps);
    steps
}

/// A sync does not wait for the ordinary objects of its last wave, unless that has a hook and is not the only one (`multiStep` in
/// `gitops-engine/pkg/sync/sync_tasks.go`).
fn forget_what_ends_the_sync(steps: &mut [Step]) {
    let has_several = steps.len() > 1;
    let Some(last) = steps.iter_mut().rev().find(|step| step.phase != Phase::SyncFail) else { return };
    if has_several && last.entries.iter().any(|entry| entry.is_hook) {
        return;
    }
    last.entries.iter_mut().filter(|entry| !entry.is_hook).for_each(|entry| entry.until = None);
}

/// Sets what ordinary Jobs hold: the workloads of later waves of the phase Sync.
pub(super) fn hold(steps: &mut [Step]) {
    let mut later: Option<Held> = None;
    for step in steps.iter_mut().rev().filter(|step| step.phase == Phase::Sync) {
        let is_workload = |entry: &&Entry| !entry.is_hook && pod::WORKLOADS.contains(&entry.kind.as_str());
        let workloads = step.entries.iter().filter(is_workload).count();
        let first = step.entries.iter().find(is_workload).map(|entry| (entry.kind.clone(), entry.name.clone()));
        for entry in step.entries.iter_mut().filter(|entry| entry.runs && !entry.is_hook) {
            entry.held.clone_from(&later);
        }
        if let Some(first) = first {
            let more = workloads - 1 + later.map_or(0, |held| held.more + 1);
            later = Some(Held { first, more });
        }
    }
}

fn entry(survey: &Survey<'_>, side: Side, version: Version, task: &Task<'_>) -> Option<Entry> {
    let resource = survey.objects[task.object].on(side)?;
    let object = resource.object();
    let is_hook = object.is_hook();
    let waits = || Waits::of(object.group(), object.kind(), version, &survey.application.health_checks);
    Some(Entry {
        object: task.object,
        kind: object.kind().to_owned(),
        group: object.group().to_owned(),
        namespace: object.namespace().map(ToOwned::to_owned),
        name: object.shown_name().unwrap_or_default(),
        runs: resource.job().is_some() || object.is_running_hook(),
        is_hook,
        waits: if is_hook { waits() } else { Waits::No },
        until: Ready::of(object, version, &survey.application.health_checks),
        held: None,
    })
}
