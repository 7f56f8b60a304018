//! A line diff for people: what was wanted and not printed (`-`), what was printed and not wanted (`+`), with the lines around.
//!
//! Line ends count: a line that ends in anything but one newline shows it.

#![allow(dead_code, reason = "each test program uses its part")]

/// One line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// In both texts.
    Same(&'a str),
    /// Only in the text that was wanted.
    Wanted(&'a str),
    /// Only in the text that came.
    Got(&'a str),
}

/// Lines shown around each difference.
const CONTEXT: usize = 2;

/// Cells of the comparison table that are still worth their memory; larger texts are compared as one block.
const LARGEST_TABLE: usize = 16_000_000;

/// The lines of both texts, in order, each marked with where it is.
pub(crate) fn compare<'a>(want: &'a str, got: &'a str) -> Vec<Line<'a>> {
    let want: Vec<&str> = want.split_inclusive('\n').collect();
    let got: Vec<&str> = got.split_inclusive('\n').collect();
    let head = want.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let tail = want[head..].iter().rev().zip(got[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut lines: Vec<Line<'_>> = want[..head].iter().map(|line| Line::Same(line)).collect();
    lines.extend(compare_middle(&want[head..want.len() - tail], &got[head..got.len() - tail]));
    lines.extend(want[want.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// The longest common subsequence of two lists of lines that share neither head nor tail.
fn compare_middle<'a>(want: &[&'a str], got: &[&'a str]) -> Vec<Line<'a>> {
    if want.len().saturating_mul(got.len()) > LARGEST_TABLE {
        return want.iter().map(|line| Line::Wanted(line)).chain(got.iter().map(|line| Line::Got(line))).collect();
    }
    let width = got.len() + 1;
    let mut longest = vec![0_u32; (want.len() + 1) * width];
    for w in (0..want.len()).rev() {
        for g in (0..got.len()).rev() {
            longest[w * width + g] = if want[w] == got[g] {
                longest[(w + 1) * width + g + 1] + 1
            } else {
                longest[(w + 1) * width + g].max(longest[w * width + g + 1])
            };
        }
    }
    let (mut w, mut g, mut lines) = (0, 0, Vec::new());
    while w < want.len() || g < got.len() {
        if w < want.len() && g < got.len() && want[w] == got[g] {
            lines.push(Line::Same(want[w]));
            (w, g) = (w + 1, g + 1);
        } else if g == got.len() || (w < want.len() && longest[(w + 1) * width + g] >= longest[w * width + g + 1]) {
            lines.push(Line::Wanted(want[w]));
            w += 1;
        } else {
            lines.push(Line::Got(got[g]));
            g += 1;
        }
    }
    lines
}

/// The differences as text; empty when there are none.
pub(crate) fn show(want: &str, got: &str) -> String {
    let lines = compare(want, got);
    let differs: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| !matches!(line, Line::Same(_))).map(|(at, _)| at).collect();
    let mut text = String::new();
    let mut shown = 0;
    for (at, line) in lines.iter().enumerate() {
        let near = differs.partition_point(|differs| differs + CONTEXT < at);
        if differs.get(near).is_none_or(|differs| at + CONTEXT < *differs) {
            continue;
        }
        if at > shown {
            text.push_str("    …\n");
        }
        shown = at + 1;
        let (mark, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Wanted(line) => ('-', line),
            Line::Got(line) => ('+', line),
        };
        text.push_str(&format!("  {mark} {}\n", visible(line)));
    }
    text
}

/// The line without its newline; what cannot be seen otherwise is spelled out.
fn visible(line: &str) -> String {
    let (line, end) = match line.strip_suffix('\n') {
        Some(line) => (line, ""),
        None => (line, "␄ (no newline)"),
    };
    format!("{}{end}", line.replace('\r', "␍").replace('\u{feff}', "␟(BOM)"))
}

#[test]
fn a_diff_shows_changed_lines_with_their_neighbours_only() {
    let want = "a\nb\nc\nd\ne\nf\ng\n";
    let got = "a\nb\nc\nd\nE\r\nf\ng";
    assert_eq!(show(want, got), "    …\n    c\n    d\n  - e\n  + E␍\n    f\n  - g\n  + g␄ (no newline)\n");
    assert_eq!(show(want, want), "");
}
