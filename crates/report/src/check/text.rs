//! Text for terminals: open findings with their line of source, errors first; then what the plugin fixes, what is hidden, and a count.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use lint::count::Count;
use lint::{Finding, Level, State};
use text::visible;

use super::lines::{REST, also_in, help, in_value_sets, level, place, source_of};
use super::{Distinct, Sheet, distinct, fixed, groups};
use crate::paint::Ink;
use crate::plugin_effect;
use crate::show::Show;

/// Prints the findings, errors first, and the summary as the last line. What several sources have in common, because they use the same file,
/// is printed once.
pub fn print(sheets: &[Sheet<'_>], show: impl Into<Show>) -> String {
    let show = show.into();
    findings(sheets, show) + &super::summary(&distinct(sheets), show)
}

/// Prints the findings: the open ones, then those that the plugin fixes and how many are hidden, with an empty line after each part.
pub fn findings(sheets: &[Sheet<'_>], show: Show) -> String {
    let distinct = distinct(sheets);
    // The table of the sources has what is about a source.
    let is_open = |one: &&Distinct<'_>| one.finding.state == State::Open && !one.finding.rule.check.is_about_sources();
    let is_shown = |one: &&Distinct<'_>| show.all || show.info || one.finding.level > Level::Info;
    let (mut shown, hidden): (Vec<_>, Vec<_>) = distinct.iter().filter(is_open).partition(is_shown);
    shown.sort_by_key(|one| Reverse(one.finding.level));
    let mut out = String::new();
    let names_sources = sheets.len() > 1;
    for group in groups::of(&shown, show.all) {
        match group.as_slice() {
            [one] => single(&mut out, one, names_sources, show),
            several => groups::print(&mut out, several, show),
        }
        out.push('\n');
    }
    let below = fixed::print(&distinct, show) + &hidden_infos(&hidden, show);
    if !below.is_empty() {
        out.push_str(&below);
        out.push('\n');
    }
    out
}

/// The last line: how many findings there are.
pub fn summary(sheets: &[Sheet<'_>], show: Show) -> String {
    super::summary(&distinct(sheets), show)
}

/// A line that says how many errors the plugin would remove; empty if it removes none.
pub fn plugin_effect(sheets: &[Sheet<'_>], show: Show) -> String {
    let distinct = distinct(sheets);
    let [errors, ..] = Count::of(distinct.iter().map(|one| one.finding)).open;
    let is_gone = |finding: &Finding| finding.goes_with_the_plugin && finding.level == Level::Error;
    let gone = distinct.iter().filter(|one| is_gone(one.finding)).count();
    plugin_effect::of_errors(errors, gone).map(|line| show.line(&line)).unwrap_or_default()
}

/// One line: how many findings of the level info there are, by rule, the most frequent first.
fn hidden_infos(hidden: &[&Distinct<'_>], show: Show) -> String {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for one in hidden {
        *rules.entry(one.finding.rule.id).or_default() += 1;
    }
    let mut rules: Vec<(&str, usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| Reverse(*count));
    match rules.as_slice() {
        [] => String::new(),
        [(id, 1)] => format!("1 info finding is hidden: {id} (`--all` shows it)\n"),
        several => {
            let counts: Vec<String> = several.iter().map(|(id, count)| format!("{count} {id}")).collect();
            let text = format!("{} info findings are hidden: {} (`--all` shows them)", hidden.len(), counts.join(", "));
            show.wrapped(&text, "", REST) + "\n"
        }
    }
}

fn single(out: &mut String, one: &Distinct<'_>, names_sources: bool, show: Show) {
    let (finding, paint) = (one.finding, show.paint);
    let level = level(finding, paint);
    let place = match &finding.place {
        None if names_sources => format!("{}: ", visible(one.sheet.source_of(one.finding))),
        _ => place(one),
    };
    // The message is wrapped together with what is before it.
    let message = paint.ink(Ink::Strong, visible(&finding.message));
    let whole = show.wrapped(&message, &format!("{place}{level}: "), REST);
    let _ = writeln!(out, "{whole}");
    source_of(out, one, show);
    help(out, &finding.help.to_string(), show);
    also_in(out, &one.others, show);
    in_value_sets(out, finding, show);
}
