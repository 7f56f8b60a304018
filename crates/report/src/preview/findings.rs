//! The findings in a preview for terminals: errors, and how many warnings; the rest is for `check`.

use std::collections::BTreeSet;
use std::fmt::Write;

use lint::{Finding, Level};
use text::{plural, visible};

use crate::grouped::grouped;
use crate::paint::Ink;
use crate::show::Show;

/// The most groups of findings of one level that are printed.
const GROUPS: usize = 8;

/// The findings of a level in groups with the same rule and message, in the order of the first of each.
pub(super) fn same<'f>(findings: impl Iterator<Item = &'f Finding>, level: Level) -> Vec<Vec<&'f Finding>> {
    let of_level = findings.filter(|finding| finding.level == level);
    grouped(of_level, |finding| (finding.rule.id, finding.message.as_str()))
}

/// The findings of the level with their help; empty without findings.
pub(super) fn block<'f>(findings: impl Iterator<Item = &'f Finding>, level: Level, show: Show) -> String {
    let same = same(findings, level);
    let most = if show.all { usize::MAX } else { GROUPS };
    let mut out = String::new();
    for alike in same.iter().take(most) {
        let (first, count) = (alike[0], alike.len());
        let times = if count > 1 { format!(", {count} times") } else { String::new() };
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

/// The warnings: with `all` with their help, otherwise their number and their rules.
pub(super) fn warnings<'f>(findings: impl Iterator<Item = &'f Finding>, which: &str, show: Show) -> String {
    let all: Vec<&Finding> = findings.filter(|finding| finding.level == Level::Warning).collect();
    if show.all || all.is_empty() {
        return block(all.into_iter(), Level::Warning, show);
    }
    let rules: BTreeSet<&str> = all.iter().map(|finding| finding.rule.id).collect();
    let rules: Vec<String> = rules.into_iter().map(|rule| format!("`{rule}`")).collect();
    let count = plural(all.len(), &format!("{which}warning"));
    show.inked(Ink::Warning, &format!("{count}: {} (`--all` shows them)", rules.join(", ")))
}
