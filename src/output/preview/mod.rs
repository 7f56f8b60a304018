//! What `preview` prints, in each format.

pub mod against;
pub mod baseline;
pub mod changes;
pub mod json;
pub mod markdown;
pub mod policy;
mod remarks;
pub mod several;
pub mod text;

/// The most characters of a setting that are shown. JSON repeats it for every Job, and `schema/preview.v1.json` has the number.
const MAX_SETTING: usize = 1024;
