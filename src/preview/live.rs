//! What a sync of the old version, which went well, has left in the cluster, and what becomes of it when the new version does not have it.

use super::when::ByApplication;
use crate::argocd::{self, Phase};
use crate::kubernetes::{Job, Object, invalid};
use crate::survey::sync_order;

/// What is in the cluster of a Job when the next sync begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Live {
    /// It is there.
    There,
    /// Its TTL of so many seconds has deleted it, unless the sync comes sooner.
    Expired(i64),
    /// Its delete policy has deleted it, after it has run.
    Deleted,
    /// No sync has created it.
    Never,
}

impl Live {
    /// What is there of a Job.
    pub(super) fn of(job: &Job) -> Self {
        match Self::of_object(job) {
            _ if !invalid::of(job).is_empty() => Self::Never,
            Self::There if !job.is_suspended() => job.short_ttl().map_or(Self::There, Self::Expired),
            live => live,
        }
    }

    /// What is there of an object, as far as Argo CD decides.
    fn of_object(object: &Object) -> Self {
        match sync_order::phases(object) {
            Err(_) => Self::Never,
            Ok(phases) if phases == [Phase::SyncFail] => Self::Never,
            Ok(_) if object.is_hook() && object.is_deleted_after_success() => Self::Deleted,
            Ok(_) => Self::There,
        }
    }

    /// Whether something of an object is there that Argo CD takes for a hook.
    pub(super) fn is_hook(object: &Object) -> bool {
        object.is_hook() && Self::of_object(object) == Self::There
    }
}

/// What becomes of a Job that the new version does not have, or has under another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Argo CD deletes it, if prune is on.
    Pruned,
    /// It stays (`Prune=false`), and the Application is Synced all the same (`IgnoreExtraneous`).
    Kept,
    /// It stays (`Prune=false`), and the Application is OutOfSync.
    OutOfSync,
    /// The sync waits until somebody confirms that it is deleted (`Prune=confirm`).
    Confirmed,
    /// It stays, because Argo CD never prunes a hook.
    Hook,
    /// There is nothing of it.
    Nothing,
}

impl Leftover {
    /// What becomes of a Job.
    pub(super) fn of(job: &Job, live: Live, application: ByApplication<'_>) -> Self {
        match live {
            _ if job.is_hook() && sync_order::phases(job).is_ok() => match live {
                Live::Deleted | Live::Expired(_) => Self::Nothing,
                Live::There | Live::Never => Self::Hook,
            },
            Live::There => Self::of_object(job, application),
            Live::Expired(_) | Live::Deleted | Live::Never => Self::Nothing,
        }
    }

    /// What becomes of an object that is there and is not a hook (`pruneObject` and `runTasks` in `gitops-engine/pkg/sync/sync_context.go`).
    pub(super) fn of_object(object: &Object, application: ByApplication<'_>) -> Self {
        let options = object.items(argocd::SYNC_OPTIONS);
        let own: Vec<&str> = options.into_iter().filter(|option| option.starts_with("Prune=")).collect();
        let has = |option| if own.is_empty() { application.has_prune_option(option) } else { own.contains(&option) };
        match (has("Prune=confirm"), has("Prune=false")) {
            (true, _) => Self::Confirmed,
            (false, true) if is_ignored(object) => Self::Kept,
            (false, true) => Self::OutOfSync,
            (false, false) => Self::Pruned,
        }
    }
}

/// Whether an object that is not in the source leaves the Application Synced.
pub(super) fn is_ignored(object: &Object) -> bool {
    object.items(argocd::COMPARE_OPTIONS).contains(&"IgnoreExtraneous")
}
