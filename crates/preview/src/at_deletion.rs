//! What a hook does when its Application is deleted, besides what syncs do with it.

use kube_jobs::argocd::{Deletion, Version};
use kube_jobs::kubernetes::Object;

use super::live::Live;

/// What a hook does at the deletion. Argo CD creates only a hook that is not there: the hook of the last sync counts as the run of the deletion
/// (`executeHooks` in `controller/hook.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtDeletion {
    /// It is not a hook of the deletion.
    #[default]
    Nothing,
    /// It runs.
    Runs,
    /// It runs after the resources are deleted, itself among them. Otherwise the hook of the last sync counts.
    RunsAfterResources,
    /// It does not run: the hook of the last sync counts.
    HasRun,
}

impl AtDeletion {
    /// What the hook does. `live` is its state after a successful sync.
    pub(super) fn of(hook: &Object, live: impl FnOnce() -> Live, version: Version) -> Self {
        let times = hook.deletions(version);
        if times.is_empty() {
            return Self::Nothing;
        }
        let is_there = !hook.is_left_out_of_syncs(version) && hook.name().is_some() && live() == Live::There;
        match is_there {
            false => Self::Runs,
            true if times.contains(&Deletion::Post) => Self::RunsAfterResources,
            true => Self::HasRun,
        }
    }
}
