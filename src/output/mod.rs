//! Writers of a plan.

pub mod check;
pub mod paint;
pub mod stream;
