//! Writers: of a plan, and of what differs between two texts.

pub mod check;
pub mod diff;
pub mod explain;
pub mod paint;
pub mod preview;
pub mod stream;
pub mod table;
