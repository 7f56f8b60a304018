//! Paragraphs, sections and YAML for a terminal.

use std::fmt::Write;

use crate::paint::{Ink, Paint};
use crate::show::Show;

/// Maximum length of a line in characters: the width of the narrowest terminals. YAML is never broken.
pub(super) const WIDTH: usize = 80;

/// A heading, and the paragraphs of a text below it. A line that begins with `- ` is an item of a list.
pub(super) fn section(out: &mut String, heading: &str, text: &str, paint: Paint) {
    self::heading(out, heading, paint);
    for (index, paragraph) in text.split("\n\n").enumerate() {
        out.push_str(if index > 0 { "\n" } else { "" });
        for line in paragraph.lines() {
            let rest = if line.starts_with("- ") { "    " } else { "  " };
            let _ = writeln!(out, "{}", wrapped(line, "  ", rest));
        }
    }
}

/// A heading, with an empty line above it.
pub(super) fn heading(out: &mut String, heading: &str, paint: Paint) {
    let _ = writeln!(out, "\n{}", paint.ink(Ink::Strong, heading));
}

/// Lines of YAML or of a command, indented by this many blanks.
pub(super) fn block(out: &mut String, lines: &str, indent: usize) {
    lines.lines().for_each(|line| out.push_str(&format!("{:indent$}{line}\n", "")));
}

/// Places, with what to write there.
pub(super) fn places(out: &mut String, places: impl IntoIterator<Item = (&'static str, String)>) {
    for (place, lines) in places {
        let _ = writeln!(out, "{}", wrapped(&format!("{place}:"), "  ", "  "));
        block(out, &lines, 6);
    }
}

/// A word and what it means, in two columns. The meaning begins at `column`, or on a line of its own where the word, printed as `shown`, is too long.
pub(super) fn row(out: &mut String, word: (&str, &str), meaning: &str, column: usize) {
    let (plain, shown) = word;
    let margin = " ".repeat(column);
    let used = plain.chars().count();
    if used + 2 > column {
        let _ = writeln!(out, "{shown}\n{}", wrapped(meaning, &margin, &margin));
    } else {
        let text = wrapped(meaning, &margin, &margin);
        let _ = writeln!(out, "{shown}{}", &text[used..]);
    }
}

/// A text in lines of [`WIDTH`]; the first begins with `first`, the others with `rest`.
pub(super) fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    Show { width: Some(WIDTH), ..Show::default() }.wrapped(&words.join(" "), first, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_has_a_line_of_its_own() {
        let mut out = String::new();
        row(&mut out, ("  a", "  A"), "short", 8);
        row(&mut out, ("  abcdef", "  ABCDEF"), "long", 8);
        assert_eq!(out, "  A     short\n  ABCDEF\n        long\n");
    }
}
