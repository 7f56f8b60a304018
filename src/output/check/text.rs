//! Text for terminals: each finding with its line of source, then the solved ones, then a count.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Count, Distinct, Sheet, distinct, summary};
use crate::finding::{Finding, State};
use crate::manifest::Manifest;
use crate::output::paint::{Ink, Paint};
use crate::text::{Place, Precision, Span, visible};

/// The most characters of a line that are shown.
const WIDTH: usize = 110;

/// When more findings of one rule than this are solved, they share a line, with this many places.
const PLACES: usize = 3;

/// The most sources that are named beside the first one that has a finding.
const SOURCES: usize = 3;

/// Prints the findings. What several sources have in common, because they use the same file, is printed once.
pub fn print(sheets: &[Sheet<'_>], paint: Paint) -> String {
    let mut out = String::new();
    let distinct = distinct(sheets);
    for Distinct { finding, sheet, others } in &distinct {
        // The table of the sources has what is about a source.
        if finding.state == State::Open && !finding.rule.check.is_about_sources() {
            open(&mut out, finding, sheet.survey.manifests, others, paint);
        }
    }
    let findings = || distinct.iter().map(|one| one.finding);
    let solved = solved(findings(), paint);
    if !solved.is_empty() {
        out.push_str(&solved);
        out.push('\n');
    }
    out.push_str(&summary(Count::of(findings())));
    out
}

/// The solved findings: a line for each, or for all of one rule that have the same solver.
fn solved<'f>(findings: impl Iterator<Item = &'f Finding>, paint: Paint) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        if let State::Solved(by) = &finding.state {
            groups.entry((finding.rule.id, by)).or_default().push(finding);
        }
    }
    let mut out = String::new();
    for ((id, by), group) in groups {
        let solved = paint.ink(Ink::Good, format!("solved by {by}"));
        if group.len() <= PLACES {
            for one in group {
                let _ = writeln!(out, "{}{solved}: {} [{id}]", place(one), visible(&one.message));
            }
            continue;
        }
        let places: Vec<String> = group
            .iter()
            .take(PLACES)
            .filter_map(|finding| Some(visible(&finding.place.as_ref()?.to_string()).into_owned()))
            .collect();
        let (all, more) = (group.len(), group.len() - PLACES);
        let _ = writeln!(
            out,
            "{solved}, {all} times: {} [{id}]: {} and {more} more",
            group[0].rule.summary,
            places.join(", ")
        );
    }
    out
}

fn open(out: &mut String, finding: &Finding, manifests: &[Manifest], others: &[&str], paint: Paint) {
    let ink = Ink::of(finding.rule.level);
    let level = paint.ink(ink, format!("{}[{}]", finding.rule.level, finding.rule.id));
    let _ = writeln!(out, "{}{level}: {}", place(finding), paint.ink(Ink::Strong, visible(&finding.message)));
    let shown = finding.span.filter(|_| finding.shows_source).zip(finding.place.as_ref());
    if let Some(((manifest, span), place)) = shown {
        source(out, &manifests[manifest], (span, place), (ink, paint));
    }
    if !finding.help.is_empty() {
        let _ = writeln!(out, "{}: {}", paint.ink(Ink::Info, "help"), visible(&finding.help));
    }
    if !others.is_empty() {
        let named: Vec<_> = others.iter().take(SOURCES).map(|other| visible(other)).collect();
        let more = if others.len() > SOURCES { format!(" and {} more", others.len() - SOURCES) } else { String::new() };
        let _ = writeln!(out, "{}: {}{more}", paint.ink(Ink::Info, "also in"), named.join(", "));
    }
    out.push('\n');
}

/// The line of source with carets under the span. One that a tool printed, and that is not the same in the file, has the number and the
/// name of what was printed.
fn source(out: &mut String, manifest: &Manifest, (span, place): (Span, &Place), (ink, paint): (Ink, Paint)) {
    let (text, line) = (&manifest.text, manifest.line_around(span.start));
    let (before, after) = (&text[line.start..span.start], &text[span.start..line.end]);
    let (shown, column) = window(before, after);
    if shown.is_empty() {
        return;
    }
    let room = shown.chars().count().saturating_sub(column - 1).max(1);
    let carets = "^".repeat(span.of(text).chars().count().clamp(1, room));
    let at = place.printed.as_ref().map_or(place.at, |printed| printed.at);
    let number = at.line.to_string();
    let margin = paint.ink(Ink::Faint, format!("{} |", " ".repeat(number.len())));
    let under = paint.ink(ink, carets);
    // A place of which only the file is known says it itself.
    if let Some(printed) = place.printed.as_ref().filter(|_| place.precision != Precision::File) {
        let arrow = format!("{}--> {printed}", " ".repeat(number.len()));
        let _ = writeln!(out, "{}", paint.ink(Ink::Faint, arrow));
    }
    let _ = writeln!(out, "{margin}\n{} {shown}", paint.ink(Ink::Faint, format!("{number} |")));
    let _ = writeln!(out, "{margin} {}{under}", " ".repeat(column - 1));
}

/// The part of a line around a place that fits, without control characters, and the column of the place in it. Only a part of a line of
/// megabytes is read.
fn window(before: &str, after: &str) -> (String, usize) {
    let left: Vec<char> = before.chars().rev().take(WIDTH).collect();
    let right: Vec<char> = after.trim_end().chars().take(WIDTH).collect();
    let (left_width, right_width) = if left.len() + right.len() <= WIDTH {
        (left.len(), right.len())
    } else {
        let width = left.len().min(WIDTH / 2 - 1).max(WIDTH.saturating_sub(right.len()));
        (width, WIDTH - width)
    };
    let shown = left[..left_width].iter().rev().chain(right.iter().take(right_width));
    let shown: String = shown
        .map(|found| if visible(found.encode_utf8(&mut [0; 4])).len() == found.len_utf8() { *found } else { ' ' })
        .collect();
    (shown.trim_end().to_owned(), left_width + 1)
}

fn place(finding: &Finding) -> String {
    finding.place.as_ref().map(|place| format!("{}: ", visible(&place.to_string()))).unwrap_or_default()
}
