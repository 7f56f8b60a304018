//! Splits a text into the pieces that Argo CD reads as documents.
//!
//! A port of `YAMLOrJSONDecoder` and `YAMLReader` (`k8s.io/apimachinery/pkg/util/yaml/decoder.go`, v0.36). If the first 4096 bytes of a text begin
//! with `{`, it is a sequence of JSON values up to the first text that is not JSON. From there on, and in every other text, each *line* that begins
//! with `---` is a separator, even inside a quoted scalar and whatever YAML says about documents. Only the extent of JSON values is parsed here.

use serde::de::IgnoredAny;
use text::Span;

use super::{SyntaxError, last_line, marks};

/// How many bytes of the text the reader searches for the `{` of a JSON stream (`gitops-engine/pkg/utils/kube/kube.go`).
const GUESS: usize = 4096;

/// The pieces of one text in order, as byte ranges of 8 bytes each: a stream can have a million pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    ranges: Vec<(u32, u32)>,
    /// How many of the pieces, counted from the first, are JSON values. These need no separator between them.
    pub json: usize,
    /// The error at which the reader stops, after the pieces.
    pub error: Option<SyntaxError>,
}

impl Pieces {
    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether the reader finds no piece in the text.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The bytes of the piece `index`, with the separator line before it and without the one after it.
    pub fn span(&self, index: usize) -> Span {
        let (start, end) = self.ranges[index];
        Span::new(start as usize, end as usize)
    }

    /// The whole `text` as one piece.
    pub fn whole(text: &str) -> Self {
        let mut pieces = Self::default();
        pieces.push(0, text.len());
        pieces
    }

    fn push(&mut self, start: usize, end: usize) {
        // The cast loses nothing: a source has at most 100 MiB.
        self.ranges.push((start as u32, end as u32));
    }
}

/// Splits `text`, which has at most 4 GiB. A byte order mark at its start is an error.
pub fn split(text: &str) -> Pieces {
    let mut pieces = Pieces::default();
    // Reading the bytes has already removed one mark, so this is a second one.
    if text.starts_with(marks::MARK) {
        pieces.error = Some(marks::refusal(0));
        return pieces;
    }
    let mut yaml_from = Some(0);
    if text[..floor_char_boundary(text, GUESS)].trim_start().starts_with('{') {
        yaml_from = json_values(text, &mut pieces);
    }
    if let Some(start) = yaml_from {
        yaml_pieces(text, start, &mut pieces);
        if pieces.error.is_none() && last_line::is_lost(text) {
            pieces.error =
                Some(lost_last_line(memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1)));
        }
    }
    pieces.ranges.shrink_to_fit();
    pieces
}

/// Whether `line` begins with the separator `---`.
pub fn is_separator(line: &str) -> bool {
    line.starts_with("---")
}

/// Takes JSON values from the start of the text. Returns the offset from which the text is YAML. None if no YAML follows.
fn json_values(text: &str, pieces: &mut Pieces) -> Option<usize> {
    let mut at = 0;
    loop {
        let start = at + (text.len() - at - text[at..].trim_start_matches([' ', '\t', '\r', '\n']).len());
        if start == text.len() {
            return None;
        }
        if let Some(length) = scalar(&text.as_bytes()[start..]).filter(|_| pieces.json > 0) {
            at = start + length;
            pieces.push(start, at);
            pieces.json += 1;
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                at = start + values.byte_offset();
                pieces.push(start, at);
                pieces.json += 1;
            }
            other => {
                let found = other.and_then(Result::err);
                if pieces.json > 1 {
                    pieces.error = Some(not_json(start, &text[start..], found));
                    return None;
                }
                let next = after_white_space(text, at);
                if next.is_none() {
                    pieces.error = Some(not_json(start, &text[start..], found));
                }
                return next;
            }
        }
    }
}

/// The length of the number, boolean or null at the start of `text`. Go's reader (`scanner.go` in `encoding/json`), unlike others, accepts any
/// character after it: `01` is two values, and `nulla` is a null followed by `a`.
fn scalar(text: &[u8]) -> Option<usize> {
    if let Some(word) = [&b"null"[..], b"true", b"false"].into_iter().find(|word| text.starts_with(word)) {
        return Some(word.len());
    }
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(text.starts_with(b"-"));
    let count = if text.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
    let mut end = sign + (count > 0).then_some(count)?;
    if text.get(end) == Some(&b'.') {
        let count = digits(end + 1);
        end += 1 + (count > 0).then_some(count)?;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        end += 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let count = digits(end);
        end += (count > 0).then_some(count)?;
    }
    Some(end)
}

fn not_json(start: usize, rest: &str, error: Option<serde_json::Error>) -> SyntaxError {
    const HELP: &str = "put `---` on a line of its own between all objects, or between none of them";
    if is_separator(rest) {
        return SyntaxError::new(start, "`---` after JSON objects that are not separated by `---`").with_help(HELP);
    }
    let inside = error.map_or(0, |error| {
        let line_start = rest.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        line_start + error.column().saturating_sub(1)
    });
    let message = "invalid JSON in a text that starts with JSON objects";
    SyntaxError::new(start + inside.min(rest.len()), message).with_help(HELP)
}

/// Where YAML begins after the JSON values that end at `from` (`consumeWhitespace`). None if fewer than four bytes are left: that function takes this
/// for the end of the stream. The last newline does not count, because the cmp-server trims it.
fn after_white_space(text: &str, from: usize) -> Option<usize> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut at = from;
    loop {
        if text.len() < at + 4 {
            return None;
        }
        let next = text[at..].chars().next()?;
        if !next.is_whitespace() {
            return Some(at);
        }
        at += next.len_utf8();
        if next == '\n' {
            return Some(at);
        }
    }
}

fn yaml_pieces(text: &str, from: usize, pieces: &mut Pieces) {
    let separator = memchr::memmem::Finder::new("\n---");
    let mut start = from;
    let mut search = from;
    let mut known = is_separator(&text[from..]).then_some(from);
    let next = |search: usize| separator.find(&text.as_bytes()[search..]).map(|found| search + found + 1);
    while let Some(at) = known.take().or_else(|| next(search)) {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found + 1);
        let after = text[at + 3..end].trim();
        if !after.is_empty() && !after.starts_with('#') {
            pieces.error = Some(content_after_separator(at + 3 + text[at + 3..end].find(after).unwrap_or(0)));
            return;
        }
        if at > start {
            pieces.push(start, at);
            start = end;
        }
        known = is_separator(&text[end..]).then_some(end);
        search = end.saturating_sub(1).max(from);
    }
    if start < text.len() {
        pieces.push(start, text.len());
    }
}

fn content_after_separator(offset: usize) -> SyntaxError {
    SyntaxError::new(
        offset,
        "content after the document separator `---` on the same line: Argo CD rejects the whole stream",
    )
    .with_help("put the content on the next line; inside a quoted string, indent the line")
}

fn lost_last_line(offset: usize) -> SyntaxError {
    SyntaxError::new(
        offset,
        "Argo CD loses this line: it is the last one, does not end with a newline, and its length is a multiple of 4096 bytes",
    )
    .with_help("end the file with a newline")
    .of_us()
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let pieces = split(text);
        (0..pieces.len()).map(|index| pieces.span(index).of(text)).collect()
    }

    #[test]
    fn a_separator_that_ends_a_document_is_dropped_and_one_that_opens_the_stream_is_kept() {
        assert_eq!(texts("---\na: 1\n---\nb: 2"), ["---\na: 1\n", "b: 2"]);
        assert_eq!(texts("a: 1\n---\n---\nb: 2\n"), ["a: 1\n", "---\nb: 2\n"]);
        assert_eq!(texts("---"), ["---"]);
        assert_eq!(texts("a\n---"), ["a\n"]);
        assert_eq!(texts(""), Vec::<&str>::new());
        assert_eq!(texts("\n---\na\n"), ["\n", "a\n"]);
    }

    #[test]
    fn only_comments_may_follow_a_separator() {
        assert_eq!(texts("a\n--- # c\nb"), ["a\n", "b"]);
        assert_eq!(split("a\n--- foo\nb").error.map(|error| error.offset), Some(6));
        assert_eq!(split("a\n----\nb").error.map(|error| error.offset), Some(5));
        assert_eq!(texts("a: \"x\n---\ny\"\n"), ["a: \"x\n", "y\"\n"]);
    }

    #[test]
    fn json_values_need_no_separator_but_two_of_them_forbid_one() {
        assert_eq!(texts("{}{}\n {\"a\": 1}\n"), ["{}", "{}", "{\"a\": 1}"]);
        assert_eq!(texts("{\"a\": 1}\n---\nb: 2\n"), ["{\"a\": 1}", "---\nb: 2\n"]);
        assert_eq!(texts("{\"a\": 1}\nb: 2\n"), ["{\"a\": 1}", "b: 2\n"]);
        assert_eq!(split("{}{}\n---\nb: 2\n").error.map(|error| error.offset), Some(5));
        assert_eq!(texts("{a: 1}\n---\nb: 2\n"), ["{a: 1}\n", "b: 2\n"]);
    }

    #[test]
    fn a_scalar_behind_json_ends_where_go_ends_it() {
        assert_eq!(texts("{}\n012"), ["{}", "0", "12"]);
        assert_eq!(texts("{}\nnull true\n-1.5e+3"), ["{}", "null", "true", "-1.5e+3"]);
        for (text, at) in [("{}\n012a: b", 6), ("{}\nnulla: b", 7), ("{}\n-0.5falsea: b", 12), ("{}\n1e5x: b", 6)] {
            assert_eq!(split(text).error.map(|error| error.offset), Some(at), "{text}");
        }
        for text in ["{}\n1.a: b\n", "{}\n1ea: b\n", "{}\n-a: b\n", "{}\nnul: b\n"] {
            assert_eq!(texts(text), [&text[..2], &text[3..]]);
        }
        // Before the first JSON value, such a text is YAML.
        assert_eq!(texts("012a: b\n"), ["012a: b\n"]);
    }

    #[test]
    fn json_that_breaks_after_other_json_is_refused_where_it_breaks() {
        for (text, at) in [("{}{}\n{\"a\": x}", 11), ("{}{}\n{\n  \"a\"\n  x}", 15), ("{}{}\n\n{\"a\": 1", 12)] {
            assert_eq!(split(text).error.map(|error| error.offset), Some(at), "{text}");
        }
    }
}
