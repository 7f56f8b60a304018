//! Paragraphs, sections and YAML for a terminal.

use std::fmt::Write;

use crate::output::paint::{Ink, Paint};

/// Maximum length of a line in characters: the width of the narrowest terminals. YAML is never broken.
pub(super) const WIDTH: usize = 80;

/// A heading, and the paragraphs of a text below it.
pub(super) fn section(out: &mut String, heading: &str, text: &str, paint: Paint) {
    self::heading(out, heading, paint);
    for (index, paragraph) in text.split("\n\n").enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let _ = writeln!(out, "{gap}{}", wrapped(paragraph, "  ", "  "));
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
pub(super) fn places<W: AsRef<str>, L: AsRef<str>>(out: &mut String, places: impl IntoIterator<Item = (W, L)>) {
    for (place, lines) in places {
        let _ = writeln!(out, "{}", wrapped(&format!("{}:", place.as_ref()), "  ", "  "));
        block(out, lines.as_ref(), 6);
    }
}

/// A word and what it means, in two columns. The meaning begins behind `column` blanks and what the word, printed as `shown`, takes of them.
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

/// The words of a text in lines of [`WIDTH`]; the first begins with `first`, the others with `rest`.
pub(super) fn wrapped(text: &str, first: &str, rest: &str) -> String {
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

    #[test]
    fn a_long_word_has_a_line_of_its_own() {
        let mut out = String::new();
        row(&mut out, ("  a", "  A"), "short", 8);
        row(&mut out, ("  abcdef", "  ABCDEF"), "long", 8);
        assert_eq!(out, "  A     short\n  ABCDEF\n        long\n");
    }
}
