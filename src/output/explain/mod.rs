//! The long texts of findings and strategies, for a terminal and for the page `docs/findings.md`.

pub mod page;

use std::fmt::Write;

use super::paint::{Ink, Paint};
use super::table;
use crate::finding::suppression::ANNOTATION;
use crate::finding::{RULES, Rule};
use crate::strategy::{self, STRATEGIES};
use crate::text::spelling::nearest;

/// Maximum length of a line in characters.
const WIDTH: usize = 90;

/// There is no such id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The nearest one there is.
    pub nearest: Option<String>,
}

/// The ids of all findings and strategies.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|row| row.id).chain(STRATEGIES.iter().map(|row| row.id))
}

/// The long text of the finding or strategy with this id.
pub fn one(id: &str, paint: Paint) -> Result<String, Unknown> {
    if let Some(row) = Rule::find(id) {
        return Ok(finding(row, paint));
    }
    let found = STRATEGIES.iter().find(|row| row.id == id);
    found.map(|row| strategy(row, paint)).ok_or_else(|| {
        let part = || ids().find(|known| !id.is_empty() && known.contains(&id.to_lowercase())).map(ToOwned::to_owned);
        Unknown { nearest: nearest(id, ids()).or_else(part) }
    })
}

/// All ids with a line about each.
pub fn all(paint: Paint) -> String {
    let rows: Vec<Vec<table::Cell>> = RULES
        .iter()
        .map(|row| {
            let level = (row.level.as_str().to_owned(), Some(Ink::of(row.level)));
            vec![(row.id.to_owned(), Some(Ink::Strong)), level, (row.summary.to_owned(), None)]
        })
        .collect();
    let mut out = table::table(&["FINDING", "LEVEL", "WHAT"], &rows, paint);
    let rows: Vec<Vec<table::Cell>> = STRATEGIES
        .iter()
        .map(|row| vec![(row.id.to_owned(), Some(Ink::Strong)), (row.serves.to_owned(), None)])
        .collect();
    let _ = write!(out, "\n{}", table::table(&["STRATEGY", "FOR"], &rows, paint));
    out
}

fn finding(row: &Rule, paint: Paint) -> String {
    let level = paint.ink(Ink::of(row.level), format!("({})", row.level));
    let mut out = format!("{} {level}\n{}\n", paint.ink(Ink::Strong, row.id), wrapped(row.summary, "", ""));
    section(&mut out, "Why", row.why, paint);
    section(&mut out, "What to do", row.fix, paint);
    let _ = writeln!(out, "\n{}", paint.ink(Ink::Strong, "How to ignore it"));
    for (place, words) in ignoring(row.id) {
        let _ = writeln!(out, "  {place}:\n      {words}");
    }
    let _ = writeln!(out, "\n{}: {}", paint.ink(Ink::Strong, "Read on"), row.link);
    out
}

/// The ways to ignore a finding, with what to write.
fn ignoring(id: &str) -> [(&'static str, String); 3] {
    [
        ("a comment on its line, or alone on the line above", format!("# argocd-jobs: ignore[{id}] reason")),
        ("an annotation of the object", format!("{ANNOTATION}{id}: \"reason\"")),
        ("in .argocd-jobs.yaml, at the top or in a rule", format!("ignore: [{id}]")),
    ]
}

fn strategy(row: &strategy::Row, paint: Paint) -> String {
    let mut out = format!("{} (strategy)\n", paint.ink(Ink::Strong, row.id));
    for (heading, text) in [("Writes", row.writes), ("When the Job runs", row.runs), ("For", row.serves)] {
        section(&mut out, heading, text, paint);
    }
    if !row.limits.is_empty() {
        let _ = writeln!(out, "\n{}", paint.ink(Ink::Strong, "What to know before"));
        row.limits.iter().for_each(|limit| out.push_str(&(wrapped(limit, "  - ", "    ") + "\n")));
    }
    let _ = writeln!(out, "\n{}", paint.ink(Ink::Strong, "How to set it"));
    for (place, words) in setting(row.id) {
        let _ = writeln!(out, "  {place}:\n      {words}");
    }
    out
}

/// The places where a strategy can be set, with what to write.
fn setting(id: &str) -> [(&'static str, String); 3] {
    [
        ("for the Application, as a parameter of the plugin", format!("- {{name: strategy, string: {id}}}")),
        ("in .argocd-jobs.yaml, at the top or in a rule", format!("strategy: {id}")),
        ("an annotation of the Job", format!("argocd-jobs/strategy: {id}")),
    ]
}

fn section(out: &mut String, heading: &str, text: &str, paint: Paint) {
    let _ = write!(out, "\n{}\n", paint.ink(Ink::Strong, heading));
    for (index, paragraph) in text.split("\n\n").enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let _ = writeln!(out, "{gap}{}", wrapped(paragraph, "  ", "  "));
    }
}

/// The words of a text in lines of [`WIDTH`]; the first begins with `first`, the others with `rest`.
fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let mut out = first.to_owned();
    let mut width = first.chars().count();
    let mut fresh = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !fresh && width + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(rest);
            width = rest.chars().count();
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
        fresh = false;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_too_long_and_no_word_is_cut() {
        let long = "x".repeat(WIDTH + 10);
        let text = wrapped(&format!("a {long} b {}", "word ".repeat(40)), "- ", "  ");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["- a".to_owned(), format!("  {long}")]);
        assert!(lines[2..].iter().all(|line| line.starts_with("  ") && line.len() <= WIDTH), "{text}");
    }
}
