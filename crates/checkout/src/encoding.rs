//! Decodes bytes as Argo CD decodes manifests.
//!
//! In a directory, a byte order mark decides between UTF-8 and UTF-16; without one the text is UTF-8
//! (`github.com/TomOnTime/utfutil`). That library replaces undecodable bytes by U+FFFD. Here they are an error: the
//! bytes of a manifest are emitted unchanged, or not at all.

use std::fmt;

use text::{LineColumn, Message};

/// Whether UTF-16 is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    /// UTF-16 is decoded, as Argo CD does for files of a directory.
    Decode,
    /// UTF-16 is refused, as Argo CD does for the output of a plugin.
    Refuse,
}

/// Why bytes are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecodable {
    /// This byte is not valid UTF-8 at its place.
    NotUtf8(u8),
    /// The text is UTF-16 where only UTF-8 is accepted.
    Utf16,
    /// This is half of a UTF-16 surrogate pair.
    LoneSurrogate(u16),
    /// The text is UTF-16 with an odd number of bytes.
    HalfCharacter,
}

/// Bytes that are not text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place of the first bad byte.
    pub at: LineColumn,
    /// Why the bytes are not text.
    pub why: Undecodable,
    /// The text with U+FFFD for undecodable bytes, as Argo CD reads it.
    pub lossy: String,
}

/// Decodes `bytes`, and removes a byte order mark.
pub fn decode(mut bytes: Vec<u8>, utf16: Utf16) -> Result<String, Failure> {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => return decode_utf16(rest, u16::from_le_bytes, utf16),
        [0xfe, 0xff, rest @ ..] => return decode_utf16(rest, u16::from_be_bytes, utf16),
        [0xef, 0xbb, 0xbf, ..] => drop(bytes.drain(..3)),
        _ => {}
    }
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let offset = error.utf8_error().valid_up_to();
        Failure {
            at: LineColumn::of(bytes, offset),
            why: Undecodable::NotUtf8(bytes[offset]),
            lossy: String::from_utf8_lossy(bytes).into_owned(),
        }
    })
}

/// Decodes `bytes` that come after a UTF-16 byte order mark.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, utf16: Utf16) -> Result<String, Failure> {
    let pairs = bytes.chunks_exact(2);
    let is_odd = !pairs.remainder().is_empty();
    let mut text = String::with_capacity(bytes.len());
    let mut first_failure = (utf16 == Utf16::Refuse).then_some((0, Undecodable::Utf16));
    for decoded in char::decode_utf16(pairs.map(|pair| unit([pair[0], pair[1]]))) {
        text.push(decoded.unwrap_or_else(|error| {
            first_failure.get_or_insert((text.len(), Undecodable::LoneSurrogate(error.unpaired_surrogate())));
            char::REPLACEMENT_CHARACTER
        }));
    }
    if is_odd {
        first_failure.get_or_insert((text.len(), Undecodable::HalfCharacter));
        text.push(char::REPLACEMENT_CHARACTER);
    }
    match first_failure {
        None => Ok(text),
        Some((offset, why)) => Err(Failure { at: LineColumn::of(text.as_bytes(), offset), why, lossy: text }),
    }
}

impl Undecodable {
    /// The message, with its `help:` line.
    pub fn message(self) -> Message {
        let text = match self {
            Self::NotUtf8(byte) => format!("byte `0x{byte:02x}` is not UTF-8 here"),
            Self::Utf16 => "the text is UTF-16, expected UTF-8".to_owned(),
            Self::LoneSurrogate(unit) => {
                format!("`0x{unit:04x}` is half of a UTF-16 character; the other half is missing")
            }
            Self::HalfCharacter => "the UTF-16 text ends in the middle of a character".to_owned(),
        };
        let encoding = match self {
            Self::NotUtf8(_) => "latin1",
            Self::Utf16 | Self::LoneSurrogate(_) | Self::HalfCharacter => "utf-16",
        };
        Message::new(text).help(format!("save the text as UTF-8, for example with `iconv -f {encoding} -t utf-8`"))
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16le(text: &str) -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    }

    fn failure(bytes: &[u8], utf16: Utf16) -> (String, Undecodable) {
        let failure = decode(bytes.to_vec(), utf16).unwrap_err();
        (failure.at.to_string(), failure.why)
    }

    #[test]
    fn utf8_comes_out_as_it_went_in() {
        for text in ["", "a", "kind: Jöb 🚀\r\n", "nul \0 stays", "\u{fffd}"] {
            assert_eq!(decode(text.as_bytes().to_vec(), Utf16::Refuse).unwrap(), text);
        }
    }

    #[test]
    fn one_byte_order_mark_is_dropped_at_the_start_only() {
        let decoded = |text: &str| decode(text.as_bytes().to_vec(), Utf16::Refuse).unwrap();
        assert_eq!(decoded("\u{feff}a: \u{feff}"), "a: \u{feff}");
        assert_eq!(decoded("\u{feff}\u{feff}a"), "\u{feff}a");
        assert_eq!(decoded("\u{feff}"), "");
    }

    #[test]
    fn utf16_is_decoded_in_both_byte_orders() {
        let text = "kind: Jöb 🚀\n";
        let little = utf16le(text);
        let big: Vec<u8> = little.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        assert_eq!(decode(little, Utf16::Decode).unwrap(), text);
        assert_eq!(decode(big, Utf16::Decode).unwrap(), text);
        assert_eq!(decode(vec![0xff, 0xfe], Utf16::Decode).unwrap(), "");
    }

    #[test]
    fn utf16_can_be_refused() {
        assert_eq!(failure(&utf16le("a"), Utf16::Refuse), ("1:1".to_owned(), Undecodable::Utf16));
        assert_eq!(failure(&[0xfe, 0xff], Utf16::Refuse), ("1:1".to_owned(), Undecodable::Utf16));
    }

    #[test]
    fn a_bad_byte_is_named_with_its_line_and_column() {
        assert_eq!(
            failure(b"a: \xc3\xa4\nb: \xc3\xa4\xe4", Utf16::Decode),
            ("2:5".to_owned(), Undecodable::NotUtf8(0xe4))
        );
        assert_eq!(failure(b"\xef\xbb\xbfab\xff", Utf16::Decode), ("1:3".to_owned(), Undecodable::NotUtf8(0xff)));
        assert_eq!(failure(b"cut \xe2\x82", Utf16::Decode), ("1:5".to_owned(), Undecodable::NotUtf8(0xe2)));
    }

    #[test]
    fn broken_utf16_is_named_with_its_line_and_column() {
        let mut odd = utf16le("a\nbc");
        odd.push(0);
        assert_eq!(failure(&odd, Utf16::Decode), ("2:3".to_owned(), Undecodable::HalfCharacter));
        let mut lone = utf16le("ä");
        lone.extend([0x3d, 0xd8, b'x', 0]);
        assert_eq!(failure(&lone, Utf16::Decode), ("1:2".to_owned(), Undecodable::LoneSurrogate(0xd83d)));
        assert_eq!(decode(lone, Utf16::Decode).unwrap_err().lossy, "ä\u{fffd}x");
    }
}
