//! Writes a report as JSON: indented, with a line end.

use serde::Serialize;

use crate::text::{Place, Precision};

/// The text of a report. Its maps must have strings as keys, so that it can be written.
pub(super) fn to_json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// A place.
#[derive(Serialize)]
pub(super) struct At {
    path: String,
    line: usize,
    column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<&'static str>,
}

impl At {
    /// The place in the form of a report.
    pub(super) fn of(place: &Place) -> Self {
        let (line, column) = (place.at.line, place.at.column);
        Self { path: place.origin.to_string(), line, column, precision: precision(place) }
    }
}

/// How much is known of a place, unless it is the line itself.
pub(super) fn precision(place: &Place) -> Option<&'static str> {
    (place.precision != Precision::Line).then_some(place.precision.as_str())
}
