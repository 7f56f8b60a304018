//! Text for terminals: what a sync does that brings another version.

use std::collections::BTreeSet;
use std::fmt::Write;

use lint::{Finding, Level};
use preview::{Comparison, Forecast, NewOrOld};
use text::{capitalized, plural};

use super::findings::{block, warnings};
use super::order::order;
use super::table::table;
use super::words::end::end;
use super::words::gone;
use super::words::start::start;
use super::words::summary::summary;
use crate::paint::Ink;
use crate::show::Show;

/// The preview of the only source.
pub fn print(comparison: &Comparison, forecast: &Forecast, show: Show) -> String {
    show.inked(Ink::Strong, &summary(forecast)) + &below(comparison, forecast, true, show)
}

/// The text below the first line, or below the heading of a section: the table, when the sync starts and how it ends, and the findings.
pub fn below(comparison: &Comparison, forecast: &Forecast, is_alone: bool, show: Show) -> String {
    let mut out = String::new();
    let gap = |out: &mut String, text: &str| {
        if !text.is_empty() {
            let _ = write!(out, "{}{text}", if is_alone { "\n" } else { "" });
        }
    };
    gap(&mut out, &table(forecast, is_alone, show));
    let indent = if is_alone { "" } else { "  " };
    let lines = lines(forecast, is_alone, show.all).into_iter();
    let lines: String = lines.map(|line| show.wrapped(&text::visible(&line), indent, indent) + "\n").collect();
    gap(&mut out, &lines);
    if show.all && !comparison.steps.is_empty() {
        let _ = write!(out, "\n{}", order(&comparison.steps, "SYNC ORDER of what runs", show));
    }
    let mut found = block(of_interest(comparison, Level::Error, show.all), Level::Error, show);
    if let Some(line) = old_errors(comparison).filter(|_| is_alone && !show.all) {
        found += &show.inked(Ink::Faint, &line);
    }
    found += &warnings(of_interest(comparison, Level::Warning, false), "new ", show);
    if !found.is_empty() {
        let _ = write!(out, "\n{found}");
    }
    out
}

/// The sentences below a table; a section has in its heading when the sync starts.
pub(super) fn lines(forecast: &Forecast, is_alone: bool, all: bool) -> Vec<String> {
    let start = Some(start(forecast, None, all)).filter(|start| is_alone && !start.is_empty());
    let ends = forecast.end.as_ref().map(end);
    let both: Vec<String> = start.map(|start| capitalized(&start) + ".").into_iter().chain(ends).collect();
    // The heading of a section says it in short.
    let gone = forecast.gone.as_ref().filter(|_| is_alone).map(gone::what);
    let back = forecast.goes_back_to.as_ref();
    let back = back.map(|commit| {
        format!("The change restores the manifests of `{commit}`. It does not undo what Jobs have done since.")
    });
    let both = Some(both.join(" ")).filter(|line| !line.is_empty() && forecast.gone.is_none());
    both.into_iter().chain(gone).chain(back).chain(forecast.windows.clone()).collect()
}

/// The findings that are shown; with `all` also the findings that the other version has.
pub(super) fn of_interest(comparison: &Comparison, level: Level, all: bool) -> impl Iterator<Item = &Finding> {
    let of_level = comparison.findings.iter().filter(move |found| found.finding.level == level);
    let is_shown = move |found: &&NewOrOld| all || found.is_of_interest() && !found.is_in_its_row();
    of_level.filter(is_shown).map(|found| &found.finding)
}

/// How many errors are not shown, because the other version has them too, and this sync does not fail because of them.
pub(super) fn old_errors(comparison: &Comparison) -> Option<String> {
    let is_old = |found: &&NewOrOld| found.finding.level == Level::Error && !found.is_of_interest();
    let old: Vec<&NewOrOld> = comparison.findings.iter().filter(is_old).collect();
    let ids: BTreeSet<&str> = old.iter().map(|found| found.finding.rule.id).collect();
    let ids = ids.into_iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let (is, does) = if old.len() == 1 { ("is", "does") } else { ("are", "do") };
    let count = plural(old.len(), "error");
    // If the sync fails anyway, an old error can be the cause.
    let harm = comparison.stop.map_or_else(|| format!(" and {does} not break this sync"), |_| String::new());
    let text = format!("not shown: {count} that {is} not new{harm} ({ids}; `--all` lists them)");
    (!old.is_empty()).then_some(text)
}

/// How many findings are shown, of each level. Findings of level info are for `check`.
pub fn shown(comparison: &Comparison, all: bool) -> [usize; 3] {
    let errors = of_interest(comparison, Level::Error, all).count();
    [errors, of_interest(comparison, Level::Warning, false).count(), 0]
}

/// The rules and the levels of the findings that are shown.
pub fn rules(comparison: &Comparison) -> Vec<(&'static str, Level)> {
    let found = comparison.findings.iter().filter(|found| found.is_of_interest());
    found.map(|found| (found.finding.rule.id, found.finding.level)).collect()
}
