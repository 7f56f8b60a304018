//! Makes Kubernetes Jobs work under Argo CD.
#![forbid(unsafe_code)]

pub mod manifest;
pub mod source;
pub mod text;
