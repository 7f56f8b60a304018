//! Each value of a forecast in words, for all formats.

pub(super) mod alone;
pub(super) mod end;
pub(super) mod gone;
pub(super) mod outcome;
pub(super) mod reason;
pub(super) mod start;
pub(super) mod summary;
mod used;

use preview::ForecastRow;

/// Parts of a sentence.
fn joined(parts: &[String]) -> String {
    parts.join("; ")
}

/// What the next sync does with an object, and why: `fails: `field is immutable`: …`.
pub(super) fn in_words(row: &ForecastRow, all: bool) -> String {
    match reason::why(row, all) {
        why if why.is_empty() => outcome::outcome(row),
        why => format!("{}: {why}", outcome::outcome(row)),
    }
}
