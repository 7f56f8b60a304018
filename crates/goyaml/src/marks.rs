//! Refuses byte order marks at the start of any line after the first.
//!
//! libyaml skips a byte order mark wherever a token may begin. go-yaml was meant to do the same, but looks for it only at the start of its buffer
//! (`is_bom` in `yamlprivateh.go`, v2 and v3); elsewhere it reads the mark as a letter, usually of a key.

use super::SyntaxError;
use super::properties::after_properties;

pub(super) const MARK: char = '\u{feff}';

/// Finds the marks of a text while it is parsed.
pub(super) struct Marks<'t> {
    text: &'t str,
    /// The byte offset of the next mark.
    next: Option<usize>,
}

impl<'t> Marks<'t> {
    /// The marks of a text that is parsed from the byte `from` on.
    pub(super) fn of(text: &'t str, from: usize) -> Self {
        Self { text, next: find(text, from, from) }
    }

    /// Passes the marks before and inside an event. Fails at a mark that the parser skipped. A mark inside a scalar of several lines is not an error:
    /// every reader takes it for a letter.
    pub(super) fn pass(&mut self, (start, end): (usize, usize), is_scalar: bool) -> Result<(), SyntaxError> {
        let Some(first) = self.next.filter(|at| *at < end) else { return Ok(()) };
        // The first mark is in the content of the scalar, and so are all others.
        if !is_scalar || first <= after_properties(self.text, start, end) {
            return Err(refusal(first));
        }
        while let Some(at) = self.next.filter(|at| *at < end) {
            self.next = find(self.text, at + MARK.len_utf8(), 0);
        }
        Ok(())
    }

    /// Fails at a mark between the last event and the byte `end`.
    pub(super) fn end(&self, end: usize) -> Result<(), SyntaxError> {
        self.next.filter(|at| *at <= end).map_or(Ok(()), |at| Err(refusal(at)))
    }
}

/// The error for a mark at the byte `offset`.
pub(super) fn refusal(offset: usize) -> SyntaxError {
    SyntaxError::new(offset, "a byte order mark (U+FEFF) at the start of a line: Argo CD reads it as a letter")
        .with_help("remove it; it is left over where a file that began with one was appended to another")
        .of_us()
}

/// The first mark from the byte `from` on that is at the start of a line. The byte `start` counts as the start of a line.
fn find(text: &str, from: usize, start: usize) -> Option<usize> {
    let ends_a_line = |before: char| matches!(before, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_first = |at: &usize| *at == start || text[..*at].ends_with(ends_a_line);
    let mut mark = [0; 4];
    let mark = MARK.encode_utf8(&mut mark).as_bytes();
    memchr::memmem::find_iter(&text.as_bytes()[from..], mark).map(|at| from + at).find(is_first)
}

#[cfg(test)]
mod tests {
    use super::super::Tree;

    /// The offset at which a text is refused because of a mark. `^` stands for the mark.
    fn refused(text: &str) -> Option<usize> {
        let text = text.replace('^', "\u{feff}");
        let error = Tree::default().read(&text).err()?;
        error.message.contains("byte order mark").then_some(error.offset)
    }

    #[test]
    fn a_mark_at_the_start_of_a_line_is_refused_where_it_is() {
        for (text, at) in [
            ("a: b\n^c: d\n", 5),
            ("---\n^a: b\n", 4),
            ("^^a: b\n", 3),
            ("a: b\n^# c\n", 5),
            ("a: b\n^", 5),
            ("a: b\n^\n", 5),
            ("a: b\r\n^c: d\r\n", 6),
            ("- a\n^- b\n", 4),
            ("{a: &x\n^b}\n", 7),
            ("a: |\n  b\n^c: d\n", 9),
            // The mark makes the text unparsable.
            ("a: b\n^  c: d\n", 5),
        ] {
            assert_eq!(refused(text), Some(at), "{text}");
        }
    }

    #[test]
    fn elsewhere_a_mark_is_a_letter() {
        for text in
            ["^a: b\n", "a: ^b\n", "a: b # ^\n", "a: \"b\n^c\"\n", "{a: b\n^c}\n", "a: |\n  ^b\n", "a: b\n...\n^c: d\n"]
        {
            let marks = text.replace('^', "\u{feff}");
            assert!(Tree::default().read(&marks).is_ok(), "{text}");
        }
    }
}
