//! What `preview` prints, in each format.

pub mod against;
pub mod alike;
pub mod answer;
pub mod baseline;
pub mod changes;
mod findings;
mod gone;
mod groups;
pub mod headline;
pub mod json;
pub mod live;
pub mod markdown;
mod next_step;
mod not_checked;
mod order;
pub mod policy;
mod remarks;
pub mod several;
pub mod text;
pub mod upgrade;
mod uses;

/// The most characters of a setting that are shown. JSON repeats it for every Job, and `schema/preview.v1.json` has the number.
const MAX_SETTING: usize = 1024;
