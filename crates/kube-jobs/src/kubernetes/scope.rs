//! Kinds of Kubernetes itself whose objects are in no namespace. Argo CD takes the namespace out of such an object (`DeduplicateTargetObjects` in
//! `controller/state.go`).

/// Such kinds. Their names are those of no namespaced kind.
const KINDS: [&str; 29] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "CustomResourceDefinition",
    "DeviceClass",
    "FlowSchema",
    "IPAddress",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ResourceSlice",
    "RuntimeClass",
    "ServiceCIDR",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
    "VolumeAttributesClass",
];

/// Whether objects of a kind of Kubernetes itself are in no namespace.
pub fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    let is_of_kubernetes = !group.contains('.') || group.ends_with(".k8s.io");
    is_of_kubernetes && KINDS.contains(&kind)
}
