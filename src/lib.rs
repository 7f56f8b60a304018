//! Makes Kubernetes Jobs work under Argo CD.
#![forbid(unsafe_code)]

pub mod argocd;
pub mod hash;
pub mod kubernetes;
pub mod manifest;
pub mod output;
pub mod plan;
pub mod settings;
pub mod source;
pub mod strategy;
pub mod text;
pub mod yaml;
