//! Writers of a plan.

pub mod stream;
