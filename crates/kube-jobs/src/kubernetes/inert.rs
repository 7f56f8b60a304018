//! Kinds that run nothing. Argo CD only applies a hook of such a kind.

/// Such kinds of the core group.
const CORE: [&str; 10] = [
    "ConfigMap",
    "Endpoints",
    "LimitRange",
    "Namespace",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "ResourceQuota",
    "Secret",
    "Service",
    "ServiceAccount",
];

/// API groups that contain only such kinds.
const GROUPS: [&str; 13] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "autoscaling",
    "bitnami.com",
    "cert-manager.io",
    "external-secrets.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "secrets-store.csi.x-k8s.io",
    "storage.k8s.io",
];

/// Whether objects of the kind only hold data or settings, and start no process.
pub fn is_inert(group: &str, kind: &str) -> bool {
    GROUPS.contains(&group) || group.is_empty() && CORE.contains(&kind)
}
