//! Argo CD's terms and Kubernetes' rules for Jobs.

pub mod argocd;
pub mod kubernetes;
