//! Finds lines and columns in a text that is scanned once for many places.

use super::{LineColumn, Span};

/// Characters are counted up to each multiple of this many bytes, so that a place in a line of megabytes is found as fast as any other.
const BLOCK: usize = 1024;

/// The byte offset of each line, and the number of characters before each block of the text.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
    characters: Vec<usize>,
}

impl Lines {
    /// Counts the lines of `text`.
    pub fn of(text: &str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1)).collect();
        let mut before = 0;
        let mut characters = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(before);
            before += count(block);
        }
        characters.push(before);
        Self { starts, characters }
    }

    /// The place of the byte `offset` in `text`, the text that was counted. An offset past the end means the end.
    pub fn at(&self, text: &str, offset: usize) -> LineColumn {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        LineColumn { line, column: self.before(text, offset) - self.before(text, start) + 1 }
    }

    /// The byte offset of a place. If the line or the text is too short, its end.
    pub fn offset(&self, text: &str, at: LineColumn) -> usize {
        let Some(line) = self.line(text, at.line - 1) else { return text.len() };
        let end = if line.of(text).ends_with('\r') { line.end - 1 } else { line.end };
        let wanted = self.before(text, line.start).saturating_add(at.column - 1);
        // The wanted character begins in the last block with at most that many characters before it.
        let block = self.characters.partition_point(|before| *before <= wanted) - 1;
        let from = block * BLOCK;
        let begins = |(_, byte): &(usize, &u8)| **byte & 0xc0 != 0x80;
        // The last entry counts the characters of the whole text, and may have no block after it.
        let mut begin = text.as_bytes().get(from..).unwrap_or_default().iter().enumerate().filter(begins);
        begin.nth(wanted - self.characters[block]).map_or(end, |(offset, _)| end.min(from + offset))
    }

    /// The line with the byte `offset`, without its line break. An offset past the end means the last line.
    pub fn around(&self, text: &str, offset: usize) -> Span {
        let line = self.starts.partition_point(|start| *start <= offset.min(text.len())) - 1;
        self.line(text, line).unwrap_or(Span::new(text.len(), text.len()))
    }

    /// The line with the index `line`, counted from 0, without its line break.
    fn line(&self, text: &str, line: usize) -> Option<Span> {
        let start = self.starts.get(line).copied()?;
        Some(Span::new(start, self.starts.get(line + 1).map_or(text.len(), |next| next - 1)))
    }

    fn before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters[block] + count(&text.as_bytes()[block * BLOCK..offset])
    }
}

/// The number of characters that begin in these bytes of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_counting_from_the_start_finds() {
        for text in ["", "a", "\n", "aé\nöx\n\nz", &"é{}\n".repeat(700), &"ä-".repeat(3000), &"x".repeat(2 * BLOCK)]
        {
            let lines = Lines::of(text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' '), (text.len() + 9, ' ')]) {
                let at = lines.at(text, offset);
                assert_eq!(at, LineColumn::of(text.as_bytes(), offset), "{offset}");
                assert_eq!(lines.offset(text, at), offset.min(text.len()), "{offset}");
            }
        }
        let line = |text: &str, offset| Lines::of(text).around(text, offset);
        assert_eq!(line("ab\ncd\n", 4), Span::new(3, 5));
        assert_eq!(line("ab\ncd", 9), Span::new(3, 5));
        let offset = |text: &str, line, column| Lines::of(text).offset(text, LineColumn { line, column });
        assert_eq!(offset("aé\r\nb", 1, 9), 3);
        assert_eq!(offset(&"é".repeat(BLOCK), 1, BLOCK + 9), 2 * BLOCK);
        assert_eq!(offset("a\nb", 9, 1), 3);
    }
}
