//! Kubernetes objects in documents: which are Jobs, what they are called, what Argo CD makes of them.

pub mod difference;
pub mod job;
mod merge;
pub mod live;
pub mod name;
pub mod object;
pub mod pod;
mod quantity;
mod stored;
pub mod update;
pub mod view;

pub use difference::{Difference, differences};
pub use job::Job;
pub use view::{HookSource, Object};
