#![doc = include_str!("../README.md")]
//!
//! A text is never changed itself: [`Edits::apply`] makes a new one.

pub mod diff;
mod help;
mod hexadecimal;
mod lines;
mod message;
mod place;
pub mod spelling;
mod time;
mod url;
mod visible;

use std::collections::BTreeMap;
use std::fmt;

pub use help::Help;
pub use hexadecimal::hexadecimal;
pub use lines::Lines;
pub use message::{Message, agreed, capitalized, few, listed, on_one_line, plural, split_help};
pub use place::{Origin, Place, Precision, Printed};
pub use time::Time;
pub use url::without_passwords;
pub use visible::{harmless_in_a_log, is_unseen, visible, visible_but_tabs, visible_lines};

/// A range of bytes in one text; `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "span {start}..{end}");
        Self { start, end }
    }

    /// The part of `text` that the span covers.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// The number of bytes in the span.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// True for a span of 0 bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One replacement. `span` always refers to the original text, whatever other edits there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// The new text in their place.
    pub replacement: String,
}

/// The error for an edit whose bytes another edit already replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap;

/// Edits of one text, sorted by place and disjoint. Insertions at one place keep the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(BTreeMap<(Span, usize), Edit>);

impl Edits {
    /// Adds an edit. Fails if it overlaps an existing one.
    pub fn add(&mut self, span: Span, replacement: impl Into<String>) -> Result<(), Overlap> {
        let place = (span, self.0.len());
        // The existing edits are disjoint, so only the next one can begin before this one ends, and only the previous one can end after it begins.
        let is_before = self.0.range(..place).next_back().is_some_and(|(_, edit)| span.start < edit.span.end);
        let is_after = self.0.range(place..).next().is_some_and(|(_, edit)| edit.span.start < span.end);
        if is_before || is_after {
            return Err(Overlap);
        }
        self.0.insert(place, Edit { span, replacement: replacement.into() });
        Ok(())
    }

    /// True if there are no edits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The edits in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Edit> {
        self.0.values()
    }

    /// Applies all edits to `text` and returns the result.
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self.0.values().map(|edit| edit.replacement.len()).sum();
        let mut out = String::with_capacity(text.len() + grown);
        let mut done = 0;
        for edit in self.0.values() {
            out.push_str(&text[done..edit.span.start]);
            out.push_str(&edit.replacement);
            done = edit.span.end;
        }
        out.push_str(&text[done..]);
        out
    }
}

/// A place in a text as editors show it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl LineColumn {
    /// The place of the byte `offset` in `text`. An offset past the end means the end.
    pub fn of(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Self {
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1,
        }
    }
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_done_at_their_places_whatever_their_order() {
        let mut edits = Edits::default();
        assert_eq!(edits.add(Span::new(4, 5), "E"), Ok(()));
        assert_eq!(edits.add(Span::new(0, 1), "A"), Ok(()));
        assert_eq!(edits.add(Span::new(4, 4), "<"), Ok(()));
        assert_eq!(edits.add(Span::new(5, 5), ">"), Ok(()));
        assert_eq!(edits.add(Span::new(5, 5), ">"), Ok(()));
        assert_eq!(edits.apply("abcdefg"), "Abcd<E>>fg");
    }

    #[test]
    fn edits_of_the_same_bytes_are_refused() {
        let mut edits = Edits::default();
        assert_eq!(edits.add(Span::new(2, 4), ""), Ok(()));
        for (start, end) in [(2, 4), (3, 3), (3, 9), (0, 3), (1, 9)] {
            assert_eq!(edits.add(Span::new(start, end), ""), Err(Overlap), "{start}..{end}");
        }
        assert_eq!(edits.add(Span::new(7, 7), ""), Ok(()));
        assert_eq!(edits.add(Span::new(6, 8), ""), Err(Overlap));
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(LineColumn::of("aé\nöx".as_bytes(), 6).to_string(), "2:2");
        assert_eq!(LineColumn::of(b"", 9).to_string(), "1:1");
    }
}
