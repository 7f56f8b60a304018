//! Each value of a forecast in words, for all formats.

pub(super) mod alone;
pub(super) mod end;
pub(super) mod gone;
mod live;
pub(super) mod outcome;
pub(super) mod reason;
pub(super) mod start;
pub(super) mod summary;
mod used;

use preview::ForecastRow;

/// `` `cart` ``, or `` `cart` (2) `` for two of the same name, such as those of two clusters.
pub(super) fn with_count(name: &str, count: usize) -> String {
    if count == 1 { format!("`{name}`") } else { format!("`{name}` ({count})") }
}

/// What the next sync does with an object, and why: `fails: `field is immutable`: …`.
pub(super) fn in_words(row: &ForecastRow, all: bool) -> String {
    let outcome = outcome::outcome(row, row.emitted.as_deref());
    match reason::why(row, all) {
        why if why.is_empty() => outcome,
        why => format!("{outcome}: {why}"),
    }
}
