//! The values that the templates of charts require and that value sets lack.

use std::fmt::Write;

use deployment::row::{RequiredValue, Row};
use text::{few, visible};

use crate::grouped::grouped;
use crate::show::Show;

/// The most values that are named.
const MOST: usize = 8;

/// A line for each value set that lacks values; sets with the same ones share it.
pub(super) fn print(rows: &[Row], show: Show) -> String {
    let with_requires = rows.iter().filter(|row| !row.requires.is_empty());
    let mut out = String::new();
    for alike in grouped(with_requires, |row| (&row.path, &row.requires)) {
        let row = alike[0];
        let Some(text) = required(&row.requires, show) else { continue };
        let sets: Vec<&str> = alike.iter().flat_map(|row| &row.value_sets).map(String::as_str).collect();
        let sets = if sets.is_empty() { String::new() } else { format!(", {}", visible(&sets.join(", "))) };
        let first = format!("{}{sets}: ", visible(&row.path));
        let _ = writeln!(out, "{}", show.wrapped(&text, &first, "  "));
    }
    out
}

/// Which values are required and not there, in words; none for none.
pub fn required(all: &[RequiredValue], show: Show) -> Option<String> {
    let named = |one: &RequiredValue| format!("`{}` ({}:{})", visible(&one.value), visible(&one.path), one.line);
    let names: Vec<String> = all.iter().map(named).collect();
    let noun = if all.len() == 1 { "a value that is" } else { "values that are" };
    let these =
        if all.len() == 1 { "this template requires when it is" } else { "these templates require when they are" };
    (!all.is_empty())
        .then(|| format!("{noun} not given, and that {these} rendered: {}", few(&names, show.at_most(MOST))))
}
