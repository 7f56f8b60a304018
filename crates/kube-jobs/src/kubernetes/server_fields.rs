//! Fields that only a live object has. The API server refuses some of them if they are copied into Git.

use goyaml::{Path, Value, path};

use super::Job;

/// Fields of `metadata` that the API server sets.
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

/// Labels that the API server adds to a Job's pods. It refuses them if they name another Job (`pkg/registry/batch/job/strategy.go`).
pub const LABELS: [&str; 4] =
    ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];

/// Finalizers that only a live object has: that of Argo CD on its hooks, and those of the API server for deletion.
pub const FINALIZERS: [&str; 3] = ["argocd.argoproj.io/hook-finalizer", "foregroundDeletion", "orphan"];

/// Annotations that a client writes at every apply. A copy in Git never equals that of the live object, which keeps the Application
/// OutOfSync forever.
pub const ANNOTATIONS: [&str; 1] = ["kubectl.kubernetes.io/last-applied-configuration"];

/// The path of the list of which only the items in [`FINALIZERS`] belong to [`paths`].
pub fn finalizers() -> Path {
    path!["metadata", "finalizers"]
}

/// The paths of the fields that only a live Job has. Includes [`finalizers`] only if the Job has one of [`FINALIZERS`], and the selector and the
/// labels only if the Job does not select its pods itself: otherwise the user wrote them.
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
