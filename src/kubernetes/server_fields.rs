//! What only a live object has, and what makes the API server refuse it when it is copied into Git.

use super::Job;
use crate::path;
use crate::yaml::{Path, Value};

/// Fields of `metadata` that the API server owns.
pub const METADATA: [&str; 8] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "selfLink",
];

/// Labels that the API server puts on a Job's pods; refused when they name another Job (`pkg/registry/batch/job/strategy.go`).
pub const LABELS: [&str; 4] =
    ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];

/// Finalizers that only a live object of an earlier sync has: Argo CD's own on hooks, and the API server's for deletion.
pub const FINALIZERS: [&str; 3] = ["argocd.argoproj.io/hook-finalizer", "foregroundDeletion", "orphan"];

/// Annotations that a client writes at every apply: in Git they are never those of the live object, which keeps the Application
/// OutOfSync for ever.
pub const ANNOTATIONS: [&str; 1] = ["kubectl.kubernetes.io/last-applied-configuration"];

/// The list in which [`paths`] means only some items: those in [`FINALIZERS`].
pub fn finalizers() -> Path {
    path!["metadata", "finalizers"]
}

/// Where a Job can have what only a live one has. Of [`finalizers`] only when one of [`FINALIZERS`] is in it; of a Job that selects
/// its pods itself, the selector and the labels are the user's.
pub fn paths(job: &Job) -> Vec<Path> {
    let mut paths: Vec<Path> = METADATA.into_iter().map(|field| path!["metadata", field]).collect();
    let items = job.value().at_path(&finalizers()).and_then(Value::as_list).unwrap_or_default();
    if items.iter().filter_map(Value::as_text).any(|item| FINALIZERS.contains(&item)) {
        paths.push(finalizers());
    }
    paths.extend(ANNOTATIONS.into_iter().map(|annotation| path!["metadata", "annotations", annotation]));
    if !job.has_manual_selector() {
        paths.extend(LABELS.into_iter().map(|label| path!["metadata", "labels", label]));
        paths.push(path!["spec", "selector"]);
        paths.extend(LABELS.into_iter().map(|label| path!["spec", "template", "metadata", "labels", label]));
    }
    paths.push(path!["status"]);
    paths
}
