//! The last line of a text, which Argo CD's line reader can lose.
//!
//! `LineReader` reads a line in parts of 4096 bytes. If a last line without a newline exactly fills its last part, the reader then meets the end of
//! the text with an empty buffer, and `YAMLReader` drops the line without an error (`k8s.io/apimachinery/pkg/util/yaml/decoder.go`, `ReadLine` in
//! Go's `bufio`). The output of a plugin always ends in such a line, because the cmp-server trims its last newline.

/// The size of the reader's buffer (`bufio.NewReader`).
const PART: usize = 4096;

/// Tracks how much of the last line the reader has in its buffer. Takes the text in pieces of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastLine {
    /// How many bytes of the line the reader has in its buffer.
    in_part: usize,
    is_empty: bool,
}

impl LastLine {
    /// The state at the start of a line.
    pub fn new() -> Self {
        Self { in_part: 0, is_empty: true }
    }

    /// Takes the next piece of the text.
    pub fn take(&mut self, text: &[u8]) {
        let mut line = text;
        if let Some(newline) = memchr::memrchr(b'\n', text) {
            *self = Self::new();
            line = &text[newline + 1..];
        }
        self.is_empty &= line.is_empty();
        while self.in_part + line.len() >= PART {
            let (part, rest) = line.split_at(PART - self.in_part);
            // A carriage return that fills a part is left for the next part, because a newline may follow it.
            self.in_part = usize::from(part.ends_with(b"\r"));
            line = rest;
        }
        self.in_part += line.len();
    }

    /// Whether the reader loses the last line if the text ends here.
    pub fn is_lost(self) -> bool {
        !self.is_empty && self.in_part == 0
    }
}

/// Whether Argo CD's reader loses the last line of `text`. Such a line has no newline at its end.
pub fn is_lost(text: &str) -> bool {
    let mut last = LastLine::new();
    last.take(text.as_bytes());
    last.is_lost()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_that_fills_its_part_is_lost() {
        let x = |count| "x".repeat(count);
        for lost in [x(PART), x(2 * PART), "a\n".to_owned() + &x(PART), x(PART - 1) + "\r" + &x(PART - 1)] {
            assert!(is_lost(&lost), "{}", lost.len());
        }
        for kept in
            [x(0), x(1), x(PART - 1), x(PART + 1), x(PART) + "\n", x(PART - 1) + "\r", x(PART - 1) + "\r" + &x(PART)]
        {
            assert!(!is_lost(&kept), "{}", kept.len());
        }
    }

    #[test]
    fn the_pieces_of_a_text_do_not_matter() {
        let texts = [PART - 1, PART, PART + 1, 2 * PART].map(|count| "a\n".to_owned() + &"x".repeat(count - 1) + "\r");
        for text in texts.iter().flat_map(|text| [text.clone(), text.replace('\r', "y"), text.replace('\r', "\n")]) {
            for size in [1, 7, PART - 1, PART, PART + 1] {
                let mut last = LastLine::new();
                text.as_bytes().chunks(size).for_each(|piece| last.take(piece));
                assert_eq!(last.is_lost(), is_lost(&text), "{} in pieces of {size}", text.len());
            }
        }
    }
}
