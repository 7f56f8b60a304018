//! Makes texts safe for a terminal or a log: control characters and invisible characters are escaped.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Characters that change the direction of writing, end a line or are not drawn, so that a text can pass for another one. From Unicode 16.0: the
/// properties `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`) and `Bidi_Control` (`PropList.txt`), U+2028 and U+2029, which end a line,
/// and U+FFF9 to U+FFFB, which annotate text. Sorted; without the control characters, which [`is_unseen`] adds.
const UNSEEN: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Begins a command to the GitHub Actions runner, at the start of a line or after white space there (`TryParseV2` of `ActionCommand.cs` in
/// `actions/runner`).
const COMMAND: &str = "::";

/// Begins a command to the runner anywhere in a line (`TryParse` in the same file).
const OLD_COMMAND: &str = "##[";

/// Whether the character is a control character, which a terminal obeys, or is invisible.
pub fn is_unseen(found: char) -> bool {
    let at = UNSEEN.partition_point(|range| *range.end() < found);
    found.is_control() || UNSEEN.get(at).is_some_and(|range| range.contains(&found))
}

/// A text for one line of a terminal, with control and invisible characters escaped, as in `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    without(text, is_unseen)
}

/// As [`visible`], but tabs stay: for a line of a file.
pub fn visible_but_tabs(line: &str) -> Cow<'_, str> {
    without(line, |found| is_unseen(found) && found != '\t')
}

/// As [`visible`], but tabs and newlines stay: for a text of several lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    without(text, |found| is_unseen(found) && !matches!(found, '\n' | '\t'))
}

fn without(text: &str, is_spelled: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_spelled) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for found in text.chars() {
        if is_spelled(found) && !is_drawn(found, &out) {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", found.escape_default());
        } else {
            out.push(found);
        }
    }
    Cow::Owned(out)
}

/// Whether the character only decides how the emoji before it is drawn, as in ⚠️ and 👩‍💻, which comments of manifests contain.
fn is_drawn(found: char, before: &str) -> bool {
    let is_emoji = |before: char| matches!(before, '\u{203c}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}');
    match found {
        '\u{fe0f}' => before.ends_with(is_emoji),
        '\u{200d}' => before.strip_suffix('\u{fe0f}').unwrap_or(before).ends_with(is_emoji),
        _ => false,
    }
}

/// The text with all commands to the GitHub Actions runner escaped. Everything that is printed for people goes through this, because a
/// runner may log it.
pub fn harmless_in_a_log(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| line.trim_start().starts_with(COMMAND);
    if !text.contains(OLD_COMMAND) && !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let harmless = |line: &str| {
        let line = line.replace(OLD_COMMAND, "#\\u{23}[");
        if is_command(&line) { line.replacen(COMMAND, "\\u{3a}:", 1) } else { line }
    };
    Cow::Owned(text.split_inclusive('\n').map(harmless).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_visible() {
        assert_eq!(visible("a é `b` 日本 🚀"), "a é `b` 日本 🚀");
        assert_eq!(visible("a\u{1b}[2J\r\n\u{9b}\u{202e}x"), "a\\u{1b}[2J\\r\\n\\u{9b}\\u{202e}x");
        let emoji = "⚠️ 👩‍💻 ❤️‍🔥";
        assert!(emoji.chars().any(is_unseen) && visible(emoji) == emoji);
        assert_eq!(visible("a\u{200d}b\u{fe0f}\u{200d}"), "a\\u{200d}b\\u{fe0f}\\u{200d}");
        assert_eq!(visible_but_tabs("a\tb\r\n"), "a\tb\\r\\n");
        assert_eq!(visible_lines("a\tb\r\n\u{feff}c\n"), "a\tb\\r\n\\u{feff}c\n");
    }

    #[test]
    fn the_table_is_sorted_and_has_what_is_known_from_attacks() {
        assert!(UNSEEN.windows(2).all(|pair| pair[0].end() < pair[1].start()));
        let known =
            "\u{61c}\u{200b}\u{200c}\u{200d}\u{2060}\u{2064}\u{180e}\u{ad}\u{e0041}\u{e007f}\u{fe0f}\u{3164}\u{2029}";
        assert!(known.chars().all(is_unseen));
        assert!("\u{a0} \u{3000}\u{fffd}\u{2070}a".chars().all(|found| !is_unseen(found)));
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(harmless_in_a_log("a :: b\n# [x\n"), "a :: b\n# [x\n");
        assert_eq!(harmless_in_a_log("::error::x"), "\\u{3a}:error::x");
        assert_eq!(harmless_in_a_log("a\n \t::b::c\n:::d\n"), "a\n \t\\u{3a}:b::c\n\\u{3a}::d\n");
        assert_eq!(harmless_in_a_log("a ##[error]b ###[c\n"), "a #\\u{23}[error]b ##\\u{23}[c\n");
        assert_eq!(harmless_in_a_log(" \u{3000}::b"), " \u{3000}\\u{3a}:b");
    }
}
