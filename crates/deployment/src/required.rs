//! The values that a chart has to be given.

use serde::Serialize;

/// A value that the templates of a chart require.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RequiredValue {
    /// Its path, such as `image.tag`.
    pub value: String,
    /// The template that requires it, by its path below the chart.
    pub path: String,
    /// The line of the template.
    pub line: usize,
}
