//! What a successful sync of the old version left in the cluster, and what happens to a Job that the new version does not have.

use kube_jobs::argocd::{self, Gone, Phase, Pruning};
use kube_jobs::kubernetes::{Job, Object};
use lint::survey::sync_order;

use super::at_deletion::AtDeletion;
use super::by_application::ByApplication;

/// The annotation of Helm that keeps an object.
const RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// The assumed state of a Job in the cluster when the next sync starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Live {
    /// It exists.
    There,
    /// Its TTL, in seconds, has deleted it, unless the sync starts sooner.
    Expired(i64),
    /// Its delete policy has deleted it, after it has run.
    Deleted,
    /// No sync has created it.
    Never,
}

impl Live {
    /// The state of a Job of the old version. Self-heal creates an ordinary Job again as soon as its TTL has deleted it.
    pub(super) fn of(job: &Job, application: ByApplication<'_>) -> Self {
        match Self::of_object(job) {
            _ if application.is_invalid(job) => Self::Never,
            Self::There if application.heals(job) => Self::There,
            Self::There if !job.is_suspended() => job.short_ttl().map_or(Self::There, Self::Expired),
            live => live,
        }
    }

    /// The state that the object itself decides: whether Kubernetes rejects it or its TTL has deleted it is not looked at.
    pub(super) fn of_object(object: &Object) -> Self {
        match sync_order::phases(object) {
            Err(_) => Self::Never,
            Ok(phases) if phases == [Phase::SyncFail] => Self::Never,
            Ok(_) if object.is_hook() && object.is_deleted_after_success() => Self::Deleted,
            Ok(_) => Self::There,
        }
    }

    /// Whether the object is a hook and exists in the cluster.
    pub(super) fn is_hook(object: &Object) -> bool {
        object.is_hook() && Self::of_object(object) == Self::There
    }
}

/// What happens to a live Job that the new version does not have, or has under another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Argo CD deletes it.
    Pruned,
    /// Argo CD deletes it if prune is on, which is unknown.
    IfPruned,
    /// It stays until somebody prunes, because automated `prune` is off, or nothing syncs by itself.
    Left,
    /// It stays (`Prune=false`), and the Application is Synced all the same (`IgnoreExtraneous`).
    Kept,
    /// It stays (`Prune=false`), and the Application is OutOfSync.
    OutOfSync,
    /// The sync waits until somebody confirms that it is deleted (`Prune=confirm`).
    Confirmed,
    /// It stays, because Argo CD never prunes a hook.
    Hook,
    /// Nothing: it is not in the cluster.
    Nothing,
    /// Argo CD deletes it with its Application.
    WithApplication,
    /// It stays when its Application is deleted.
    WithoutApplication,
    /// It runs when Argo CD deletes its Application.
    RunsAtDeletion,
    /// It should run then, but the hook of the last sync is there and counts as its run.
    HasRun,
    /// It should run then, but Argo CD cannot render it: the deletion hangs.
    CannotRun,
}

impl Leftover {
    /// What happens to a Job of the old version, in this state.
    pub(super) fn of(job: &Object, live: Live, application: ByApplication<'_>) -> Self {
        match live {
            _ if job.is_hook() && sync_order::phases(job).is_ok() => match live {
                Live::Deleted | Live::Expired(_) => Self::Nothing,
                Live::There | Live::Never => Self::Hook,
            },
            Live::There => Self::of_object(job, application),
            Live::Expired(_) | Live::Deleted | Live::Never => Self::Nothing,
        }
    }

    /// What happens to it instead when its Application is deleted (`finalizeApplicationDeletion` and `shouldBeDeleted` in
    /// `controller/appcontroller.go`).
    pub(super) fn with_application(self, object: &Object, at_deletion: AtDeletion, gone: &Gone) -> Self {
        let is_kept = || object.has_sync_option("Delete=false") || object.items(RESOURCE_POLICY).contains(&"keep");
        let is_deleted = || gone.with_resources && !is_kept();
        match at_deletion {
            AtDeletion::Nothing if self == Self::Nothing => Self::Nothing,
            AtDeletion::Nothing if is_deleted() => Self::WithApplication,
            AtDeletion::Nothing => Self::WithoutApplication,
            _ if !gone.has_folder => Self::CannotRun,
            AtDeletion::Runs => Self::RunsAtDeletion,
            AtDeletion::RunsAfterResources if is_deleted() => Self::RunsAtDeletion,
            AtDeletion::RunsAfterResources | AtDeletion::HasRun => Self::HasRun,
        }
    }

    /// What happens to a live object that is not a hook (`pruneObject` and `runTasks` in `gitops-engine/pkg/sync/sync_context.go`).
    pub(super) fn of_object(object: &Object, application: ByApplication<'_>) -> Self {
        match application.pruning(object) {
            Pruning::Confirmed => Self::Confirmed,
            Pruning::Off if is_ignored(object) => Self::Kept,
            Pruning::Off => Self::OutOfSync,
            Pruning::On => match application.prunes() {
                Some(true) => Self::Pruned,
                Some(false) => Self::Left,
                None => Self::IfPruned,
            },
        }
    }
}

/// Whether an object that is not in the source leaves the Application Synced.
pub(super) fn is_ignored(object: &Object) -> bool {
    object.items(argocd::COMPARE_OPTIONS).contains(&"IgnoreExtraneous")
}
