//! What `preview` prints, in each format.

pub mod baseline;
pub mod changes;
pub mod compared;
mod effects;
mod findings;
pub mod json;
pub mod live;
pub mod markdown;
mod not_checked;
mod order;
pub mod policy;
mod remarks;
mod rows;
pub mod section;
pub mod several;
mod shared;
mod table;
pub mod text;
mod words;

/// The most characters of a setting that are shown. JSON repeats it for every Job, and `schema/preview.v2.json` has the number.
const MAX_SETTING: usize = 1024;
