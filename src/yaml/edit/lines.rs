//! Lines of a text, whichever way they end.

/// The line break of the text: that of its first line.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Where the line of the byte `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |found| found + 1)
}

/// Where the line of the byte `at` ends, before its break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found)
}

/// Where the line after that of the byte `at` begins.
pub(super) fn after_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    match &text.as_bytes()[end..] {
        [b'\r', b'\n', ..] => end + 2,
        [_, ..] => end + 1,
        [] => end,
    }
}

/// True when only blanks or a comment are between the byte `at` and the end of its line, and no U+0085, U+2028 or U+2029,
/// which break lines too.
pub(super) fn rest_is_blank(text: &str, at: usize) -> bool {
    let rest = &text[at..line_end(text, at)];
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let comment = trimmed.starts_with('#') && trimmed.len() < rest.len();
    (trimmed.is_empty() || comment) && !rest.contains(['\u{85}', '\u{2028}', '\u{2029}'])
}

/// The indentation of the key at `at` in columns, dashes of lists before it included. None when anything else is before it.
pub(super) fn indentation(text: &str, at: usize) -> Option<usize> {
    let before = text[line_start(text, at)..at].trim_start_matches('\u{feff}');
    before.bytes().all(|byte| matches!(byte, b' ' | b'-')).then_some(before.len())
}

/// The blanks before the byte `at`, when nothing else is before it on its line. Reads only those.
pub(super) fn own_indent(text: &str, at: usize) -> Option<&str> {
    let blanks = text[..at].trim_end_matches([' ', '\t']).len();
    (blanks == 0 || text[..blanks].ends_with(['\n', '\r'])).then(|| &text[blanks..at])
}
