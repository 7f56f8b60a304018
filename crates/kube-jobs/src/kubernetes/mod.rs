//! Kubernetes objects in documents: Jobs, names, pods, hooks, and the rules of the API server.

pub(crate) mod compared;
mod defaults;
pub mod diff;
pub mod dns;
mod difference;
pub mod fixed;
mod image;
pub mod immutability;
pub mod invalid;
pub mod job;
pub mod list;
pub(crate) mod merge;
pub mod name;
pub mod object;
pub mod pod;
mod quantity;
mod scope;
mod runs;
pub mod server_fields;
pub mod volatile;

pub use compared::stored;
pub use diff::differences;
pub use difference::{Alike, Difference};
pub use image::Image;
pub use job::Job;
pub use object::{HookSource, Object, is_job};
pub use runs::Runs;
pub use scope::is_cluster_scoped;
