//! What only a live object has, and what makes the API server refuse it when it is copied into Git.

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
