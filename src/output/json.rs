//! Writes a report as JSON: indented, with a line end.

use serde::Serialize;

/// The text of a report. Its maps must have strings as keys, so that it can be written.
pub(super) fn to_json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}
