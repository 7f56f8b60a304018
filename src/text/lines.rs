//! The lines of one text, counted once for many places.

use super::{LineColumn, Span};

/// Characters are counted up to each multiple of this many bytes, so that a place in a line of megabytes is found as fast as any.
const BLOCK: usize = 1024;

/// Where the lines of a text begin, and how many characters are before each block of it.
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

    /// The place of the byte `offset` in the text that was counted; past the end counts as the end.
    pub fn at(&self, text: &str, offset: usize) -> LineColumn {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        LineColumn { line, column: self.before(text, offset) - self.before(text, start) + 1 }
    }

    /// The byte of the text at a place; the end of the line, or of the text, when it is shorter.
    pub fn offset(&self, text: &str, at: LineColumn) -> usize {
        let Some(start) = self.starts.get(at.line - 1).copied() else { return text.len() };
        let line = line_around(text, start).of(text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        start + line.char_indices().nth(at.column - 1).map_or(line.len(), |(offset, _)| offset)
    }

    fn before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters[block] + count(&text.as_bytes()[block * BLOCK..offset])
    }
}

/// How many characters begin in these bytes.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// The line of a byte, without its end.
pub fn line_around(text: &str, offset: usize) -> Span {
    let offset = offset.min(text.len());
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
    Span::new(start, memchr::memchr(b'\n', &bytes[offset..]).map_or(text.len(), |length| offset + length))
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
        assert_eq!(line_around("ab\ncd\n", 4), Span::new(3, 5));
        assert_eq!(line_around("ab\ncd", 9), Span::new(3, 5));
    }
}
