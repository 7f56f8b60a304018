//! The findings in a preview for terminals: errors, and warnings; information is for `check`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::finding::{Finding, Level};
use crate::output::paint::Ink;
use crate::output::show::Show;
use crate::text::visible;

/// The most groups of findings of one level that are printed.
const GROUPS: usize = 8;

/// Findings of one level with the same rule and message.
pub(super) struct Same<'f> {
    /// The first of them.
    pub(super) first: &'f Finding,
    /// How many there are.
    pub(super) count: usize,
}

/// The findings of a level, equal ones together, in the order of the first of each.
pub(super) fn same<'f>(findings: impl Iterator<Item = &'f Finding>, level: Level) -> Vec<Same<'f>> {
    let mut by_message: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut found: Vec<Same<'f>> = Vec::new();
    for finding in findings.filter(|finding| finding.level == level) {
        let index = *by_message.entry((finding.rule.id, &finding.message)).or_insert(found.len());
        match found.get_mut(index) {
            Some(same) => same.count += 1,
            None => found.push(Same { first: finding, count: 1 }),
        }
    }
    found
}

/// Each finding of the level with its help, for errors at the top: nothing when there is none.
pub(super) fn block<'f>(findings: impl Iterator<Item = &'f Finding>, level: Level, show: Show) -> String {
    let same = same(findings, level);
    let most = if show.all { usize::MAX } else { GROUPS };
    let mut out = String::new();
    for Same { first, count } in same.iter().take(most) {
        let times = if *count > 1 { format!(", {count} times") } else { String::new() };
        let level = show.paint.ink(Ink::of(level), format!("{}[{}]{times}", level, first.rule.id));
        let place = first.place.as_ref().map(|place| format!("{}: ", visible(&place.to_string()))).unwrap_or_default();
        let _ = writeln!(out, "{}", show.wrapped(&visible(&first.message), &format!("{place}{level}: "), "  "));
        if !first.help.is_empty() {
            let help = show.wrapped(&format!("help: {}", visible(&first.help.to_string())), "  ", "    ");
            let _ = writeln!(out, "{help}");
        }
    }
    if same.len() > most {
        let _ = writeln!(out, "and {} more: `argocd-jobs check` lists them", same.len() - most);
    }
    out
}
