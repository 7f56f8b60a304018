//! Which kinds run something, and whether they come to an end: the one place that decides what a hook of a kind does.

/// What an object of a kind does once it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// It runs, and finishes.
    ToAnEnd,
    /// It keeps running, or starts something else later. Nobody can say of a hook of such a kind that it has run: it is applied.
    OnAndOn,
    /// It holds data or settings.
    Nothing,
    /// Nobody here knows the kind, so it may run.
    Unknown,
}
use Runs::{Nothing, OnAndOn, ToAnEnd, Unknown};

/// Groups all of whose kinds are alike, unless [`KINDS`] says otherwise of one.
const GROUPS: [(&str, Runs); 18] = [
    ("admissionregistration.k8s.io", Nothing),
    ("apiextensions.k8s.io", Nothing),
    ("apiregistration.k8s.io", Nothing),
    ("apps", OnAndOn),
    ("autoscaling", Nothing),
    ("bitnami.com", Nothing),
    ("cert-manager.io", Nothing),
    ("external-secrets.io", Nothing),
    ("gateway.networking.k8s.io", Nothing),
    ("kyverno.io", Nothing),
    ("monitoring.coreos.com", Nothing),
    ("networking.k8s.io", Nothing),
    ("policies.kyverno.io", Nothing),
    ("policy", Nothing),
    ("rbac.authorization.k8s.io", Nothing),
    ("scheduling.k8s.io", Nothing),
    ("secrets-store.csi.x-k8s.io", Nothing),
    ("storage.k8s.io", Nothing),
];

/// Single kinds, by group and name.
const KINDS: [(&str, &str, Runs); 37] = [
    ("", "ConfigMap", Nothing),
    ("", "Endpoints", Nothing),
    ("", "LimitRange", Nothing),
    ("", "Namespace", Nothing),
    ("", "PersistentVolume", Nothing),
    ("", "PersistentVolumeClaim", Nothing),
    ("", "Pod", ToAnEnd),
    ("", "ReplicationController", OnAndOn),
    ("", "ResourceQuota", Nothing),
    ("", "Secret", Nothing),
    ("", "Service", Nothing),
    ("", "ServiceAccount", Nothing),
    ("apps", "ControllerRevision", Nothing),
    ("argoproj.io", "AnalysisRun", ToAnEnd),
    ("argoproj.io", "AnalysisTemplate", Nothing),
    ("argoproj.io", "AppProject", Nothing),
    ("argoproj.io", "Application", OnAndOn),
    ("argoproj.io", "ApplicationSet", OnAndOn),
    ("argoproj.io", "ClusterAnalysisTemplate", Nothing),
    ("argoproj.io", "ClusterWorkflowTemplate", Nothing),
    ("argoproj.io", "CronWorkflow", OnAndOn),
    ("argoproj.io", "EventBus", OnAndOn),
    ("argoproj.io", "EventSource", OnAndOn),
    ("argoproj.io", "Rollout", OnAndOn),
    ("argoproj.io", "Sensor", OnAndOn),
    ("argoproj.io", "Workflow", ToAnEnd),
    ("argoproj.io", "WorkflowTemplate", Nothing),
    ("batch", "CronJob", OnAndOn),
    ("batch", "Job", ToAnEnd),
    ("monitoring.coreos.com", "Alertmanager", OnAndOn),
    ("monitoring.coreos.com", "Prometheus", OnAndOn),
    ("monitoring.coreos.com", "PrometheusAgent", OnAndOn),
    ("monitoring.coreos.com", "ThanosRuler", OnAndOn),
    ("tekton.dev", "Pipeline", Nothing),
    ("tekton.dev", "PipelineRun", ToAnEnd),
    ("tekton.dev", "Task", Nothing),
    ("tekton.dev", "TaskRun", ToAnEnd),
];

impl Runs {
    /// What objects of this kind do.
    pub fn of_kind(group: &str, kind: &str) -> Self {
        let of_kind = KINDS.iter().find(|(of, name, _)| *of == group && *name == kind).map(|(.., runs)| *runs);
        let of_group = || GROUPS.iter().find(|(of, _)| *of == group).map(|(_, runs)| *runs);
        of_kind.or_else(of_group).unwrap_or(Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_a_kind_comes_before_its_group() {
        assert!(KINDS.is_sorted_by_key(|(group, kind, _)| (*group, *kind)));
        assert!(GROUPS.is_sorted_by_key(|(group, _)| *group));
        for (group, kind, runs) in [
            ("batch", "Job", ToAnEnd),
            ("batch", "CronJob", OnAndOn),
            ("apps", "Deployment", OnAndOn),
            ("monitoring.coreos.com", "ServiceMonitor", Nothing),
            ("monitoring.coreos.com", "Prometheus", OnAndOn),
            ("example.com", "Seed", Unknown),
        ] {
            assert_eq!(Runs::of_kind(group, kind), runs, "{group} {kind}");
        }
    }
}
