//! Kubernetes objects in documents: which are Jobs, what they are called, what Argo CD makes of them.

pub mod job;
pub mod name;
pub mod object;
pub mod view;

pub use job::Job;
pub use view::{HookSource, Object};
