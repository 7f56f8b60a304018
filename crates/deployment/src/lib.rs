//! Everything that a repository deploys.

pub mod applications;
pub mod folders;
