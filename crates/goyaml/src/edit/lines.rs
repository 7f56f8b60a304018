//! Lines of a text that end with `\n`, `\r\n` or `\r`.

use crate::split;

/// The line break for all new lines: that of the first line. For Argo CD only `\n` ends a line, so it is a `\r`
/// alone only in a text without `\n`.
pub fn line_break(text: &str) -> &'static str {
    // The line of the separator can end in another way than the lines of the document.
    let text = if split::is_separator(text) { text.split_once('\n').map_or(text, |(_, rest)| rest) } else { text };
    let inner = text.trim_end_matches(['\n', '\r']);
    match inner.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        Some(_) => "\n",
        None if inner.contains('\r') => "\r",
        None => ["\r\n", "\r"].into_iter().find(|end| text.ends_with(end)).unwrap_or("\n"),
    }
}

/// Where the line of the byte `at` begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |found| found + 1)
}

/// Where the line of the byte `at` ends, before its break.
pub fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found)
}

/// Where the next line after the byte `at` begins.
pub(super) fn after_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    match &text.as_bytes()[end..] {
        [b'\r', b'\n', ..] => end + 2,
        [_, ..] => end + 1,
        [] => end,
    }
}

/// Whether the rest of the line after the byte `at` has only blanks or a comment. False if it has U+0085, U+2028 or U+2029, which also break lines.
pub(super) fn rest_is_blank(text: &str, at: usize) -> bool {
    let rest = &text[at..line_end(text, at)];
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let comment = trimmed.starts_with('#') && trimmed.len() < rest.len();
    (trimmed.is_empty() || comment) && !rest.contains(['\u{85}', '\u{2028}', '\u{2029}'])
}

/// The indentation of the key at `at` in columns, including the dashes of lists before it. None if anything else precedes it.
pub fn indentation(text: &str, at: usize) -> Option<usize> {
    let before = text[line_start(text, at)..at].trim_start_matches('\u{feff}');
    before.bytes().all(|byte| matches!(byte, b' ' | b'-')).then_some(before.len())
}

/// The blanks before the byte `at`, if only blanks precede it on its line. Reads no further back than these blanks.
pub(super) fn own_indent(text: &str, at: usize) -> Option<&str> {
    let blanks = text[..at].trim_end_matches([' ', '\t']).len();
    (blanks == 0 || text[..blanks].ends_with(['\n', '\r'])).then(|| &text[blanks..at])
}
