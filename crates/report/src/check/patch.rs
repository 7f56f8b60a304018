//! What `--fix` would write, as a unified diff. No line of a Secret is in it, and no character that a terminal obeys.

use std::fmt::Write;

use lint::survey::may_hold_secret;
use similar::{DiffOp, group_diff_ops};
use text::{diff, visible};

use crate::paint::{Ink, Paint};

/// Lines around each difference.
const CONTEXT: usize = 3;

/// What is shown of a changed line that may not be shown.
const HIDDEN: &str = "(a line of a Secret)";

/// A text, and which of its lines, without their ends, may not be shown.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// The text.
    pub text: &'t str,
    /// True for each line that is a part of a Secret. A line past the end of the list is not.
    pub hidden: &'t [bool],
}

/// One line of a difference.
struct Line<'t> {
    sign: char,
    text: &'t str,
    is_hidden: bool,
    /// The lines of the old and of the new text that are before it.
    before: (usize, usize),
}

/// The differences between two texts of the manifest `name`; empty when they are equal. A hidden line is never shown as context: a hunk ends before
/// it. Where there may be a Secret, no line is one, because what is hidden is what is known to be a Secret: one with a mistake is not.
pub fn print(name: &str, old: Text<'_>, new: Text<'_>, paint: Paint) -> String {
    let old_lines: Vec<&str> = old.text.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.text.split_inclusive('\n').collect();
    let ops = diff::line_ops(&old_lines, &new_lines);
    let may_hold_secret = may_hold_secret(old.text);
    let name = visible(name);
    let mut out = String::new();
    for group in group_diff_ops(ops, CONTEXT) {
        let lines: Vec<Line<'_>> =
            group.iter().flat_map(|op| lines_of(op, (&old_lines, old), (&new_lines, new))).collect();
        let hunks = lines.split(|line| line.sign == ' ' && (line.is_hidden || may_hold_secret));
        for hunk in hunks.filter(|hunk| hunk.iter().any(|line| line.sign != ' ')) {
            if out.is_empty() {
                let _ = write!(out, "--- {name}\n+++ {name}\n");
            }
            print_hunk(&mut out, hunk, paint);
        }
    }
    out
}

/// The lines of one operation.
fn lines_of<'t>(op: &DiffOp, old: (&[&'t str], Text<'_>), new: (&[&'t str], Text<'_>)) -> Vec<Line<'t>> {
    let (removed, added) = (op.old_range(), op.new_range());
    let line = |sign, (lines, text): (&[&'t str], Text<'_>), index: usize, before| Line {
        sign,
        text: lines[index],
        is_hidden: text.hidden.get(index).copied().unwrap_or_default(),
        before,
    };
    if matches!(op, DiffOp::Equal { .. }) {
        return removed.zip(added).map(|(index, other)| line(' ', old, index, (index, other))).collect();
    }
    let (first, end) = (added.start, removed.end);
    let removed = removed.map(|index| line('-', old, index, (index, first)));
    removed.chain(added.map(|index| line('+', new, index, (end, index)))).collect()
}

fn print_hunk(out: &mut String, hunk: &[Line<'_>], paint: Paint) {
    let Some(first) = hunk.first() else { return };
    let count = |other: char| hunk.iter().filter(|line| line.sign != other).count();
    let header = format!("@@ -{} +{} @@", range(first.before.0, count('+')), range(first.before.1, count('-')));
    let _ = writeln!(out, "{}", paint.ink(Ink::Faint, header));
    for line in hunk {
        let ink = match line.sign {
            '-' => Ink::Bad,
            '+' => Ink::Good,
            _ => Ink::Plain,
        };
        let text = if line.is_hidden { HIDDEN.to_owned() } else { diff::shown(line.text) };
        let _ = writeln!(out, "{}", paint.ink(ink, format!("{}{text}", line.sign)));
        if !line.text.ends_with('\n') {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}

/// `start,count` as in a unified diff, where lines are counted from 1, and an empty range has the number of the line before it.
fn range(before: usize, count: usize) -> String {
    match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        _ => format!("{},{count}", before + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(old: &str, new: &str, hidden: &[usize]) -> String {
        let hidden: Vec<bool> = (0..50).map(|line| hidden.contains(&line)).collect();
        print("a.yaml", Text { text: old, hidden: &hidden }, Text { text: new, hidden: &hidden }, Paint::Plain)
    }

    #[test]
    fn it_is_a_unified_diff() {
        let old: String = (0..30).map(|line| format!("{line}\n")).collect();
        for (from, to) in [("5\n", "five\n"), ("0\n1\n", ""), ("29\n", "29"), ("3\n", "3\n3a\n"), ("", "first\n")] {
            let new = old.replacen(from, to, 1).replacen("20\n", "twenty\n", 1);
            assert_eq!(patch(&old, &new, &[]), diff::unified(&old, &new, "a.yaml", "a.yaml", 3));
        }
        assert_eq!(patch(&old, &old, &[]), "");
    }

    #[test]
    fn lines_of_a_secret_are_not_shown() {
        let (old, new) = ("a\nsecret\nb\nc\nd\n", "a\nsecret\nB\nc\nd\n");
        assert_eq!(patch(old, new, &[1]), "--- a.yaml\n+++ a.yaml\n@@ -3,3 +3,3 @@\n-b\n+B\n c\n d\n");
        let (old, new) = ("a\nsecret\nb\n", "a\nSECRET\nb\n");
        let hidden = "@@ -1,3 +1,3 @@\n a\n-(a line of a Secret)\n+(a line of a Secret)\n b\n";
        assert_eq!(patch(old, new, &[1]), format!("--- a.yaml\n+++ a.yaml\n{hidden}"));
    }

    #[test]
    fn a_secret_with_a_mistake_is_no_context() {
        let (old, new) = ("kind: [Secret]\np: x\n---\na\n", "kind: [Secret]\np: x\n---\nb\n");
        assert_eq!(patch(old, new, &[]), "--- a.yaml\n+++ a.yaml\n@@ -4 +4 @@\n-a\n+b\n");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        let text = patch("a: \u{1b}[1m\tb\u{202e}\r\n", "b: \u{1b}[1m\r\n", &[]);
        assert!(text.ends_with("-a: \\u{1b}[1m\tb\\u{202e}\n+b: \\u{1b}[1m\n"), "{text}");
    }
}
