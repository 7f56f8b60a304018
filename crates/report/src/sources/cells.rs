//! The columns of the table of sources, and the cells of a row.

use deployment::row::{Outcome, Row};
use lint::count::levels;
use text::{few, plural};

use super::reason;
use crate::paint::Ink;
use crate::table::{Cell, Column, Narrow};

/// The columns of the table of sources.
pub(super) const COLUMNS: [Column; 6] = [
    Column { heading: "SOURCE", narrow: Narrow::CutStart },
    Column { heading: "VALUES", narrow: Narrow::CutEnd },
    Column { heading: "APPLICATION", narrow: Narrow::CutEnd },
    Column { heading: "KIND", narrow: Narrow::Drop(0) },
    Column { heading: "JOBS", narrow: Narrow::Keep },
    Column { heading: "FINDINGS", narrow: Narrow::CutEnd },
];

/// The most value sets that are named in a row.
const NAMES: usize = 2;

/// The cells of a row. `is_ambiguous` says that another row has the same path and Application.
pub(super) fn cells(row: &Row, is_ambiguous: bool, all: bool) -> Vec<Cell> {
    let from: &[String] = if is_ambiguous { &row.from } else { &[] };
    let application: Vec<&str> = from.iter().chain(&row.application).map(String::as_str).collect();
    let assumed = if row.is_assumed { " (assumed)" } else { "" };
    let (jobs, found, ink) = match &row.outcome {
        Outcome::Read { jobs, count } => {
            let ink = if count.open[0] > 0 { Ink::Bad } else { Ink::Warning };
            (jobs.to_string(), with_left_out(levels(count.open), row, all), ink)
        }
        Outcome::NotChecked(reason) => {
            let reason = if all { reason::whole(&row.path, reason) } else { reason::short(&row.path, reason) };
            ("?".to_owned(), format!("not checked: {reason}"), Ink::Bad)
        }
    };
    vec![
        (row.paths(), Some(Ink::Strong)),
        (few(&row.value_sets, if all { usize::MAX } else { NAMES }), None),
        (application.join(" → ") + assumed, None),
        (row.kinds(), None),
        (jobs, None),
        (found, Some(ink)),
    ]
}

/// What was found, and what was left out.
fn with_left_out(found: String, row: &Row, all: bool) -> String {
    let without = match row.without.as_slice() {
        [] => return found,
        few if all || few.len() <= NAMES => format!("without {}", few.join(" and ")),
        many => format!("without {} and {}", many[0], plural(many.len() - 1, "more part")),
    };
    if found.is_empty() { without } else { format!("{found}; {without}") }
}

/// How many sources and value sets rows have: value sets that render to the same share a row.
pub(super) fn count<'r>(rows: impl IntoIterator<Item = &'r Row>) -> usize {
    rows.into_iter().map(|row| row.value_sets.len().max(1)).sum()
}

/// What a row is called: the value sets of charts are not sources.
pub(super) fn noun(rows: &[Row]) -> &'static str {
    if !rows.is_empty() && rows.iter().all(|row| !row.value_sets.is_empty()) { "value set" } else { "source" }
}
