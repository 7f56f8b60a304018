//! A chart as its author sees it: the value sets that it brings, and what its templates ask for. Everything here is read, and nothing is
//! executed.

mod about_values;
mod conditions;
mod sets;
mod templates;

pub use conditions::{JobTemplate, rendered};
pub use sets::{MAX_VALUE_SETS, ValueFiles, environments, value_files};
pub use templates::{Required, Templates};
