//! The templates of Jobs and hooks that no value set of their chart renders, with what they are rendered for.

use std::fmt::Write;

use serde::Serialize;

use crate::show::Show;
use text::{plural, visible};

/// The most templates that are listed.
const MOST: usize = 10;

/// A template that no value set of its chart renders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unrendered {
    /// The chart, as messages call it.
    pub source: String,
    /// The path of the template.
    pub path: String,
    /// The line that makes it a Job or a hook.
    pub line: usize,
    /// `Job` or `hook`.
    pub kind: &'static str,
    /// How many value sets of its chart could not be rendered: they may have it. JSON has it in the rows.
    #[serde(skip)]
    pub unread: usize,
    /// The conditions around this line, from the outermost in, as they are read in the template; empty if there are none.
    pub conditions: Vec<String>,
}

/// A line for each.
pub fn listed(all: &[Unrendered], show: Show) -> String {
    let most = if show.all { usize::MAX } else { MOST };
    let mut out = String::new();
    for Unrendered { path, line, kind, conditions, unread, .. } in all.iter().take(most) {
        let of = if *unread > 0 { "none of the checked value sets renders" } else { "no value set renders" };
        let what = match conditions.as_slice() {
            [] => format!("a {kind} that {of}"),
            conditions => format!("a {kind} that {of}; its condition is {}", conditions.join(" and ")),
        };
        let first = format!("{}:{line}: ", visible(path));
        let _ = writeln!(out, "{}", show.wrapped(&visible(&what), &first, "  "));
    }
    let more = all.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(out, "{} (`--all` lists them)", plural(more, "more such template"));
    }
    out
}
