//! The order of a sync: phases, waves, kinds, names, as `gitops-engine/pkg/sync/sync_tasks.go` sorts its tasks.

use std::fmt;

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Object;

use crate::survey::{Side, Survey};

/// Kinds in the order in which Argo CD applies them. All other kinds come after them.
const KINDS: [&str; 35] = [
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// One object in one phase of a sync. Tasks sort in the order in which Argo CD runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task<'s> {
    /// The phase. `Sync` for an object that is not a hook.
    pub phase: Phase,
    /// The sync wave of the object.
    pub wave: i64,
    /// The index of the kind in [`KINDS`]; the length of that list for other kinds.
    rank: usize,
    /// The name of the object, or else its `generateName`.
    pub name: &'s str,
    /// The index of the object in the survey.
    pub object: usize,
}

/// A step of a sync. Argo CD creates the objects of one moment together, in the order of kinds. It creates those of the next moment when all earlier
/// ones exist and are healthy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Moment {
    /// The phase of the sync.
    pub phase: Phase,
    /// The wave in that phase.
    pub wave: i64,
}

/// Displays as `Sync wave 0`.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} wave {}", self.phase.as_str(), self.wave)
    }
}

/// The moment at which Argo CD first applies an object. None if no sync applies it.
pub fn first(object: &Object) -> Option<Moment> {
    // Fast path: most objects have no annotations.
    if object.annotations().is_none() {
        return Some(Moment { phase: Phase::Sync, wave: 0 });
    }
    let phase = phases(object).ok()?.into_iter().min()?;
    Some(Moment { phase, wave: object.wave() })
}

/// Why no sync applies an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absence {
    /// It is a hook that runs when the Application is deleted.
    Deletion,
    /// `argocd.argoproj.io/hook: Skip`
    Skip,
    /// It is a hook without a type that Argo CD knows.
    #[serde(rename = "unknown-hook")]
    NoValidType,
    /// It is a hook that only `helm test` runs.
    HelmTest,
    /// A later Job has the same name, and Argo CD uses the last one (`DeduplicateTargetObjects` in `controller/state.go`).
    Repeated,
}

/// The phases in which Argo CD applies an object (`gitops-engine/pkg/sync/sync_phase.go`), without those in which it finds the object of an
/// earlier phase and changes nothing. Returns the reason as an error if no phase applies it.
pub fn phases(object: &Object) -> Result<Vec<Phase>, Absence> {
    if object.is_skipped() {
        return Err(Absence::Skip);
    }
    if !object.is_hook() {
        return Ok(vec![Phase::Sync]);
    }
    match object.phases() {
        none if none.is_empty() && object.is_delete_hook() => Err(Absence::Deletion),
        none if none.is_empty() && object.is_helm_test() => Err(Absence::HelmTest),
        none if none.is_empty() => Err(Absence::NoValidType),
        mut phases => {
            let first = phases.iter().min().copied();
            // SyncFail stays, because the sync can fail before the first phase creates it.
            let is_created = |phase: Phase| Some(phase) == first || phase == Phase::SyncFail;
            phases.retain(|phase| object.is_new_each_time() || is_created(*phase));
            Ok(phases)
        }
    }
}

/// All tasks of a sync, in the order in which they start. The engine moves a Namespace or CustomResourceDefinition into the phase and wave of the
/// first object that needs it; this function does not.
pub fn tasks<'s>(survey: &'s Survey<'_>, side: Side) -> Vec<Task<'s>> {
    let mut tasks = Vec::new();
    for (index, resource) in survey.on(side) {
        let object = resource.object();
        let rank = KINDS.iter().position(|kind| *kind == object.kind()).unwrap_or(KINDS.len());
        let name = object.name().or(object.generate_name()).unwrap_or("");
        for phase in phases(object).unwrap_or_default() {
            tasks.push(Task { phase, wave: object.wave(), rank, name, object: index });
        }
    }
    tasks.sort_unstable();
    tasks
}
