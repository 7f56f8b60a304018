//! Kinds of Kubernetes itself whose objects are in no namespace. Argo CD takes the namespace out of such an object (`DeduplicateTargetObjects` in
//! `controller/state.go`).

/// Such kinds. Their names are those of no namespaced kind.
const KINDS: [&str; 19] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "FlowSchema",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// Whether objects of a kind of Kubernetes itself are in no namespace.
pub fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    let is_of_kubernetes = !group.contains('.') || group.ends_with(".k8s.io");
    is_of_kubernetes && KINDS.contains(&kind)
}
