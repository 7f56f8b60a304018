//! The templates of Jobs and hooks that no value set of their chart renders, with what they are rendered for.

use std::fmt::Write;

use deployment::row::Unrendered;
use text::{plural, visible};

use crate::show::Show;

/// The most templates that are listed.
const MOST: usize = 10;

/// A line for each.
pub fn listed(all: &[Unrendered], show: Show) -> String {
    let most = if show.all { usize::MAX } else { MOST };
    let mut out = String::new();
    for Unrendered { path, line, kind, conditions, unread, is_chart_unread, .. } in all.iter().take(most) {
        let of = if *unread > 0 { "none of the checked value sets renders" } else { "no value set renders" };
        let what = match conditions.as_slice() {
            _ if *is_chart_unread => format!("a {kind} of a chart that is not rendered"),
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
