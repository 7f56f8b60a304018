//! The values that the templates of charts require and that value sets lack.

use std::fmt::Write;

use super::{RequiredValue, Row};
use crate::output::show::Show;
use crate::text::{listed, visible};

/// The most values that are named.
const MOST: usize = 8;

/// A line for each value set that lacks values; sets with the same ones share it.
pub(super) fn print(rows: &[Row], show: Show) -> String {
    let mut told: Vec<(&Row, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.requires.is_empty()) {
        let names = row.value_sets.iter().map(String::as_str);
        match told.iter_mut().find(|(known, _)| known.path == row.path && known.requires == row.requires) {
            Some((_, sets)) => sets.extend(names),
            None => told.push((row, names.collect())),
        }
    }
    let mut out = String::new();
    for (row, sets) in told {
        let Some(text) = required(&row.requires) else { continue };
        let sets = if sets.is_empty() { String::new() } else { format!(", {}", visible(&sets.join(", "))) };
        let first = format!("{}{sets}: ", visible(&row.path));
        let _ = writeln!(out, "{}", show.wrapped(&text, &first, "  "));
    }
    out
}

/// Which values are required and not there, in words; none for none.
pub fn required(all: &[RequiredValue]) -> Option<String> {
    let named = |one: &RequiredValue| format!("`{}` ({}:{})", visible(&one.value), visible(&one.path), one.line);
    let names: Vec<String> = all.iter().take(MOST).map(named).collect();
    let noun = if all.len() == 1 { "a value that is" } else { "values that are" };
    let these =
        if all.len() == 1 { "this template requires when it is" } else { "these templates require when they are" };
    let names = listed(&names, all.len() - names.len());
    (!all.is_empty()).then(|| format!("{noun} not given, and that {these} rendered: {names}"))
}
