//! Writers of a plan.

pub mod check;
pub mod explain;
pub mod paint;
pub mod preview;
pub mod stream;
pub mod table;
