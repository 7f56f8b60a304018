//! The only file that uses the parser crate, `libyaml-safer`.
//!
//! The crate is a port of libyaml to safe Rust, so it gives the same events as go-yaml v2, which is another port. This file makes up for the
//! differences. The crate panics on a block scalar that ends without a newline and on a tag before a comma (its issues 6 and 7), takes any text that
//! begins with the byte 0xEF for one with a byte order mark, skips a byte order mark at the start of every line, decodes its whole input at once,
//! accepts `%YAML 1.2`, and needs quadratic time for deep flow nesting.

use std::io::{self, BufRead, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{
    Encoding, ErrorKind, EventData, MappingStyle, Parser, ScalarStyle, SequenceStyle, TagDirective, VersionDirective,
};

use super::SyntaxError;
use super::marks::{MARK, Marks};

/// The maximum depth of nested collections. go-yaml allows 10,000; manifests have about 40.
pub(super) const MAX_DEPTH: usize = 512;

/// How many bytes are passed to the decoder at a time.
const WINDOW: usize = 16 * 1024;

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `plain`
    Plain,
    /// `'single'`
    SingleQuoted,
    /// `"double"`
    DoubleQuoted,
    /// `|` or `>`
    Block,
}

/// How a collection is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By indentation.
    Block,
    /// In brackets.
    Flow,
}

/// One event of the first document of a text, with its byte range.
pub(super) struct Event {
    pub(super) what: What,
    /// The first byte, which is that of the anchor or tag if there is one.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

/// The kind of an event and its data.
pub(super) enum What {
    Alias { anchor: String },
    Scalar { anchor: Option<String>, tag: Option<String>, value: String, style: Style },
    SequenceStart { anchor: Option<String>, tagged: bool, layout: Layout },
    SequenceEnd,
    MappingStart { anchor: Option<String>, tagged: bool, layout: Layout },
    MappingEnd,
}

/// Passes the events of the first document of `text` to `sink`. Stops at the end of that document, as go-yaml's `Unmarshal` does.
pub(super) fn parse(text: &str, mut sink: impl FnMut(Event) -> Result<(), SyntaxError>) -> Result<(), SyntaxError> {
    let skipped = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    if let Some(offset) = excess_of_tags(text) {
        return Err(SyntaxError::new(offset, format!("more than {MAX_TAGS} `%TAG` directives")).with_help(DIRECTIVE));
    }
    let mut last = skipped;
    let mut marks = Marks::of(text, skipped);
    let mut sink = |event: Event| {
        marks.pass((event.start, event.end), matches!(event.what, What::Scalar { .. }))?;
        sink(event)
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| drive(&text[skipped..], skipped, &mut last, &mut sink)));
    let unreadable = || SyntaxError::new(last, "the YAML parser cannot read the text that starts here").of_us();
    match outcome.unwrap_or_else(|_| Err(unreadable())) {
        Ok(end) => marks.end(end),
        // A skipped mark may be the reason why the parser cannot read the text.
        Err(error) => marks.end(error.offset).and(Err(error)),
    }
}

/// Passes the events to `sink`. Returns the offset at which the document ends.
fn drive(
    text: &str,
    skipped: usize,
    last: &mut usize,
    sink: &mut impl FnMut(Event) -> Result<(), SyntaxError>,
) -> Result<usize, SyntaxError> {
    let mut parser = Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(Window::new(text));
    let mut depth = 0_usize;
    let mut is_after_root = false;
    loop {
        let event = parser.parse().map_err(|error| {
            let error = broken(&error, text, skipped);
            // go-yaml does not read on.
            if is_after_root { error.of_us() } else { error }
        })?;
        // An empty value at the end of a text, such as that of a last `?`, has a place beyond the end.
        let place = |mark: u64| skipped + (mark as usize).min(text.len());
        let (start, end) = (place(event.start_mark.index), place(event.end_mark.index));
        *last = start;
        let what = match event.data {
            EventData::StreamStart { .. } => continue,
            EventData::DocumentStart { version_directive, tag_directives, .. } => {
                supported(version_directive, &tag_directives, start)?;
                continue;
            }
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(start),
            EventData::Alias { anchor } => What::Alias { anchor },
            EventData::Scalar { anchor, tag, value, style, .. } => {
                What::Scalar { anchor, tag, value, style: style_of(style) }
            }
            EventData::SequenceStart { anchor, tag, style, .. } => {
                depth += 1;
                let layout = if style == SequenceStyle::Flow { Layout::Flow } else { Layout::Block };
                What::SequenceStart { anchor, tagged: tag.is_some(), layout }
            }
            EventData::MappingStart { anchor, tag, style, .. } => {
                depth += 1;
                let layout = if style == MappingStyle::Flow { Layout::Flow } else { Layout::Block };
                What::MappingStart { anchor, tagged: tag.is_some(), layout }
            }
            EventData::SequenceEnd => {
                depth = depth.saturating_sub(1);
                What::SequenceEnd
            }
            EventData::MappingEnd => {
                depth = depth.saturating_sub(1);
                What::MappingEnd
            }
        };
        if depth > MAX_DEPTH {
            return Err(SyntaxError::new(start, format!("nested more than {MAX_DEPTH} levels deep")).of_a_limit());
        }
        is_after_root = depth == 0;
        sink(Event { what, start, end })?;
    }
}

/// The help for a text with a directive.
const DIRECTIVE: &str = "remove the `%` directive: Argo CD separates it from its document";

/// The maximum number of `%TAG` directives: the parser compares each with all others. Argo CD reads no document that has one.
const MAX_TAGS: usize = 64;

/// The byte offset of the first `%TAG` directive above the limit. Also counts lines of quoted texts that look like one.
fn excess_of_tags(text: &str) -> Option<usize> {
    let ends_a_line = |before: char| matches!(before, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    let begins_a_line = |at: &usize| text[..*at].chars().next_back().is_none_or(ends_a_line);
    memchr::memmem::find_iter(text.as_bytes(), "%TAG").filter(begins_a_line).nth(MAX_TAGS)
}

/// Fails for a version other than `%YAML 1.1`, the only one that go-yaml v2 knows.
fn supported(version: Option<VersionDirective>, _: &[TagDirective], offset: usize) -> Result<(), SyntaxError> {
    match version {
        Some(version) if (version.major, version.minor) != (1, 1) => {
            Err(SyntaxError::new(offset, "Argo CD accepts no `%YAML` directive other than 1.1")
                .with_help("remove the `%YAML` directive"))
        }
        _ => Ok(()),
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        _ => Style::Plain,
    }
}

fn broken(error: &libyaml_safer::Error, text: &str, skipped: usize) -> SyntaxError {
    let Some(mark) = error.problem_mark() else {
        return SyntaxError::new(skipped + unreadable(text), "control characters are not allowed");
    };
    let mut message = error.problem().to_owned();
    let byte = |mark: u64| skipped + (mark as usize).min(text.len());
    let started = error.context_mark().map_or(mark.index, |from| from.index);
    if let (Some(context), Some(from)) = (error.context(), error.context_mark()) {
        if !context.is_empty() && from.line != mark.line {
            message = match mark.line.saturating_sub(from.line) {
                1 => format!("{message} ({context} that began on the line above)"),
                lines => format!("{message} ({context} that began {lines} lines above)"),
            };
        } else if !context.is_empty() {
            message = format!("{message} ({context})");
        }
    }
    let is_scanned = error.kind() == ErrorKind::Scanner;
    let [started, at] = [started, mark.index].map(byte);
    let rest = |from: usize| text.get(from - skipped..).unwrap_or_default();
    let mut error = SyntaxError::new(at, message).started_at(started);
    if is_scanned && is_read_by_go(rest(started), rest(at)) {
        error = error.of_us();
    }
    let starts_no_token = error.message.starts_with("found character that cannot start any token");
    match text.get(mark.index as usize..).and_then(|rest| rest.chars().next()) {
        _ if text.starts_with('%') => error.with_help(DIRECTIVE),
        Some('\t') if starts_no_token => error.with_help("indent with spaces: YAML does not allow a tab here"),
        Some(_) if starts_no_token => error.with_help("put the string in quotes"),
        _ => error,
    }
}

/// Whether go-yaml may read what the parser's scanner refuses at `rest`, in a token that starts at `token`: a tag, a `:` before a bracket, or `\\'`.
fn is_read_by_go(token: &str, rest: &str) -> bool {
    let is_colon_before_bracket =
        || rest.strip_prefix(':').is_some_and(|rest| rest.starts_with([',', '?', '[', ']', '{', '}']));
    token.starts_with('!') || is_colon_before_bracket() || token.starts_with('"') && rest.starts_with("\\'")
}

/// The byte offset of the first character that YAML does not allow. The parser's error has no place for it.
fn unreadable(text: &str) -> usize {
    text.char_indices().find(|(_, found)| !is_readable(*found)).map_or(0, |(at, _)| at)
}

/// Whether go-yaml's reader accepts the character (`readerc.go`).
pub(super) fn is_readable(found: char) -> bool {
    matches!(found, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}'
        | '\u{10000}'..)
}

/// The text in slices of at most [`WINDOW`] bytes, cut between characters. Ends with the newline that Argo CD's line reader adds.
struct Window<'t> {
    rest: &'t str,
    newline: &'static str,
}

impl<'t> Window<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text, newline: if text.ends_with('\n') { "" } else { "\n" } }
    }
}

impl Read for Window<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let taken = available.len().min(into.len());
        into[..taken].copy_from_slice(&available[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Window<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest.is_empty() {
            return Ok(self.newline.as_bytes());
        }
        let mut end = self.rest.len().min(WINDOW);
        while !self.rest.is_char_boundary(end) {
            end -= 1;
        }
        Ok(&self.rest.as_bytes()[..end])
    }

    fn consume(&mut self, taken: usize) {
        if self.rest.is_empty() {
            self.newline = &self.newline[taken..];
        } else {
            self.rest = &self.rest[taken..];
        }
    }
}
