//! For people at a terminal: each finding with its line of source, then what is solved, then a count.

use std::fmt::Write;

use super::{Count, summary};
use crate::finding::{Finding, Level, State};
use crate::manifest::Manifest;
use crate::output::paint::{Ink, Paint};
use crate::text::{LineColumn, Span};

/// So many characters of a line are shown at most.
const WIDTH: usize = 110;

/// Prints the findings of `manifests`.
pub fn print(findings: &[Finding], manifests: &[Manifest], paint: Paint) -> String {
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| finding.state == State::Open) {
        open(&mut out, finding, manifests, paint);
    }
    let mut solved = findings
        .iter()
        .filter_map(|finding| match &finding.state {
            State::Solved(by) => Some((finding, by)),
            _ => None,
        })
        .peekable();
    if solved.peek().is_some() {
        for (finding, by) in solved {
            let place = place(finding);
            let told = paint.ink(Ink::Good, format!("solved by {by}"));
            let _ = writeln!(out, "{place}{told}: {} [{}]", finding.message, finding.row.id);
        }
        out.push('\n');
    }
    out.push_str(&summary(Count::of(findings)));
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
