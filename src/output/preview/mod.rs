//! What `preview` prints, in each format.

pub mod against;
pub mod baseline;
pub mod changes;
pub mod json;
pub mod markdown;
mod remarks;
pub mod text;
