//! For people at a terminal: each finding with its line of source, then what is solved, then a count.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Count, summary};
use crate::finding::{Finding, Level, State};
use crate::manifest::Manifest;
use crate::output::paint::{Ink, Paint};
use crate::text::{LineColumn, Span};

/// So many characters of a line are shown at most.
const WIDTH: usize = 110;

/// More of one kind that is solved are told together, with so many places.
const PLACES: usize = 3;

/// Prints the findings of `manifests`.
pub fn print(findings: &[Finding], manifests: &[Manifest], paint: Paint) -> String {
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| finding.state == State::Open) {
        open(&mut out, finding, manifests, paint);
    }
    let solved = solved(findings, paint);
    if !solved.is_empty() {
        out.push_str(&solved);
        out.push('\n');
    }
    out.push_str(&summary(Count::of(findings)));
    out
}

/// What is solved: a line for each finding, or for many of one kind that are solved by the same.
fn solved(findings: &[Finding], paint: Paint) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        if let State::Solved(by) = &finding.state {
            groups.entry((finding.row.id, by)).or_default().push(finding);
        }
    }
    let mut out = String::new();
    for ((id, by), group) in groups {
        let told = paint.ink(Ink::Good, format!("solved by {by}"));
        if group.len() <= PLACES {
            for one in group {
                let _ = writeln!(out, "{}{told}: {} [{id}]", place(one), one.message);
            }
            continue;
        }
        let places: Vec<String> =
            group.iter().take(PLACES).filter_map(|finding| Some(finding.place.as_ref()?.to_string())).collect();
        let (all, more) = (group.len(), group.len() - PLACES);
        let _ = writeln!(
            out,
            "{told}, {all} times: {} [{id}]: {} and {more} more",
            group[0].row.summary,
            places.join(", ")
        );
    }
    out
}

fn open(out: &mut String, finding: &Finding, manifests: &[Manifest], paint: Paint) {
    let ink = match finding.row.level {
        Level::Error => Ink::Bad,
        Level::Warning => Ink::Warning,
        Level::Info => Ink::Info,
    };
    let level = paint.ink(ink, format!("{}[{}]", finding.row.level, finding.row.id));
    let _ = writeln!(out, "{}{level}: {}", place(finding), paint.ink(Ink::Strong, &finding.message));
    if let Some((manifest, span)) = finding.span.filter(|_| finding.shows_source) {
        source(out, &manifests[manifest].text, span, (ink, paint));
    }
    if !finding.help.is_empty() {
        let _ = writeln!(out, "{}: {}", paint.ink(Ink::Info, "help"), finding.help);
    }
    out.push('\n');
}

/// The line of source with carets under the span.
fn source(out: &mut String, text: &str, span: Span, (ink, paint): (Ink, Paint)) {
    let at = LineColumn::of(text.as_bytes(), span.start);
    let line = text.lines().nth(at.line - 1).unwrap_or("").trim_end();
    if line.is_empty() {
        return;
    }
    let (shown, column) = window(line, at.column);
    let room = shown.chars().count().saturating_sub(column - 1).max(1);
    let carets = "^".repeat(span.of(text).chars().count().clamp(1, room));
    let number = at.line.to_string();
    let margin = paint.ink(Ink::Faint, format!("{} |", " ".repeat(number.len())));
    let under = paint.ink(ink, carets);
    let _ = writeln!(out, "{margin}\n{} {shown}", paint.ink(Ink::Faint, format!("{number} |")));
    let _ = writeln!(out, "{margin} {}{under}", " ".repeat(column - 1));
}

/// The part of a line around a column that fits, without control characters, and the column in it.
fn window(line: &str, column: usize) -> (String, usize) {
    let clean: Vec<char> = line.chars().map(|found| if found.is_control() { ' ' } else { found }).collect();
    if clean.len() <= WIDTH {
        return (clean.into_iter().collect(), column);
    }
    let first = column.saturating_sub(WIDTH / 2).min(clean.len() - WIDTH);
    (clean[first..first + WIDTH].iter().collect(), column - first)
}

fn place(finding: &Finding) -> String {
    finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default()
}
