//! What `preview` prints, in each format.

pub mod changes;
pub mod text;
