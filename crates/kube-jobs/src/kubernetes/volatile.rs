//! Recognizes endings of names, and values, that probably change with every rendering: dates, times, revisions, random text.
//!
//! An ending counts only if hardly any other meaning is possible: `-v2`, `-k8s`, `-2024` and `-step10` are words.

/// The kind of a text that probably changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatile {
    /// A date, such as `20240131` or `2024-01-31-10-22`.
    Date,
    /// Seconds or milliseconds since 1970, such as `1706696553`.
    UnixTime,
    /// A revision or a hash, such as `3f2a9c1`.
    Revision,
    /// A random text, such as `x7k2p`.
    Random,
}

impl Volatile {
    /// The kind in words, for a message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Date => "a date",
            Self::UnixTime => "a timestamp",
            Self::Revision => "a revision or a hash",
            Self::Random => "a random string",
        }
    }
}

/// The volatile ending of a name, and its kind.
pub fn ending(name: &str) -> Option<(&str, Volatile)> {
    let name = name.trim_end_matches('-');
    dated(name).map(|ending| (ending, Volatile::Date)).or_else(|| {
        let (_, last) = name.rsplit_once(['-', '.'])?;
        segment(last).map(|found| (last, found))
    })
}

/// As [`ending`], but for a name that a tool rendered: its digits are as likely a checksum of some values as a time, so they do not count as a time.
pub fn rendered_ending(name: &str) -> Option<(&str, Volatile)> {
    ending(name).filter(|(_, found)| *found != Volatile::UnixTime)
}

/// Whether a name ends in `-` and at least 8 digits, as printed by Sprig's `adler32sum`, or at least 8 hexadecimal digits that include one of 0 to 9.
/// Such a name may change with the content.
pub fn ends_in_checksum(name: &str) -> bool {
    let Some((_, last)) = name.rsplit_once('-') else { return false };
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    last.len() >= 8 && last.bytes().all(is_hex) && last.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text is a date with a time, as in RFC 3339.
pub fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 19
        && matches!(bytes[10], b'T' | b't' | b' ')
        && is_date(&text.as_bytes()[..10], true)
        && bytes[11..19]
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 2 | 5) { *byte == b':' } else { byte.is_ascii_digit() })
}

/// Whether letters and digits alternate more often in a text than in a word.
pub fn is_random(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !(5..=16).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_alphanumeric) || is_word(text) {
        return false;
    }
    let turns = bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    // With two turns, `scd4x` is a word, as `k8s` is. The only words that begin and end with a digit are numbers with units.
    turns >= 3 || turns == 2 && bytes[0].is_ascii_digit()
}

/// Whether a text is a word in which letters and digits alternate: `postgres16to17`, `ttf2woff2`, `v1beta1`, `s3v4`, `1h30m`, `8x22b`.
fn is_word(text: &str) -> bool {
    const BEGINNINGS: [&str; 7] = ["k8s", "e2e", "s3", "x86", "p2p", "b2b", "gp3"];
    const UNITS: [&str; 15] = ["x", "d", "h", "m", "s", "ms", "b", "k", "g", "mb", "gb", "mi", "gi", "fps", "p"];
    let lower = text.to_ascii_lowercase();
    let has_vowel = |part: &str| part.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let mut parts = lower.split(|found: char| found.is_ascii_digit()).filter(|part| !part.is_empty());
    let is_measure =
        lower.starts_with(|found: char| found.is_ascii_digit()) && parts.clone().all(|part| UNITS.contains(&part));
    is_measure
        || parts.any(|part| part.len() >= 4 || part.len() == 3 && has_vowel(part))
        || BEGINNINGS.into_iter().any(|word| lower.starts_with(word))
        || lower.starts_with("utf8")
}

fn segment(text: &str) -> Option<Volatile> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == bytes.len() {
        return match bytes.len() {
            10 | 13 if is_unix_time(&text[..10]) => Some(Volatile::UnixTime),
            8 | 12 | 14 if is_date(&bytes[..8], false) => Some(Volatile::Date),
            _ => None,
        };
    }
    let is_hex = bytes.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte));
    if is_hex && digits > 0 && (7..=64).contains(&bytes.len()) {
        return Some(Volatile::Revision);
    }
    is_random(text).then_some(Volatile::Random)
}

/// Whether seconds since 1970 are a time from 2014 to 2032. A wider range would take more checksums for a time.
fn is_unix_time(seconds: &str) -> bool {
    const FROM_2014_TO_2032: std::ops::Range<u64> = 1_388_534_400..1_988_150_400;
    seconds.parse().is_ok_and(|seconds| FROM_2014_TO_2032.contains(&seconds))
}

/// The ending `…-2024-01-31`, possibly followed by a time: numbers of two digits, or one number of four or six.
fn dated(name: &str) -> Option<&str> {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-' || *byte == b'.' || *byte == b'_';
    let start = name.rfind(|found: char| !found.is_ascii() || !is_number(&(found as u8))).map_or(0, |at| at + 1);
    let ending = name.get(start..)?.trim_start_matches(['-', '.', '_']);
    let bytes = ending.as_bytes();
    let long = bytes.len() >= 10 && is_date(&bytes[..10], true);
    let short = bytes.len() > 9 && is_date(&bytes[..8], false) && matches!(bytes[8], b'-' | b'.' | b'_');
    (long || short).then_some(ending)
}

/// Whether the bytes are a date of this century: `2024-01-31` if `separated`, else `20240131`.
fn is_date(bytes: &[u8], separated: bool) -> bool {
    let digits: Vec<u8> = match (separated, bytes) {
        (true, [y @ .., a, m1, m2, b, d1, d2]) if y.len() == 4 && a == b && !a.is_ascii_digit() => {
            [y, &[*m1, *m2, *d1, *d2]].concat()
        }
        (false, _) => bytes.to_vec(),
        _ => return false,
    };
    let Some(number) = std::str::from_utf8(&digits).ok().and_then(|text| text.parse::<u32>().ok()) else {
        return false;
    };
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    digits.len() == 8 && (2000..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_that_change() {
        for (name, wanted) in [
            ("migrate-20240131", ("20240131", Volatile::Date)),
            ("migrate-20240131-1022", ("20240131-1022", Volatile::Date)),
            ("migrate-2024-01-31", ("2024-01-31", Volatile::Date)),
            ("migrate-2024-01-31-10-22", ("2024-01-31-10-22", Volatile::Date)),
            ("migrate-20240131102233", ("20240131102233", Volatile::Date)),
            ("migrate-1706696553", ("1706696553", Volatile::UnixTime)),
            ("migrate-3f2a9c1", ("3f2a9c1", Volatile::Revision)),
            ("migrate-x7k2p", ("x7k2p", Volatile::Random)),
            ("migrate-8fqk6", ("8fqk6", Volatile::Random)),
        ] {
            assert_eq!(ending(name), Some(wanted), "{name}");
        }
    }

    #[test]
    fn words_do_not_change() {
        for name in [
            "migrate",
            "a-v2",
            "a-k8s",
            "a-e2e",
            "a-s3",
            "a-5m",
            "a-1a",
            "a-v1-2-3",
            "a-1.2.3",
            "a-v1beta1",
            "a-2024",
            "a-step10",
            "a-utf8mb4",
            "a-12345678",
            "a-defaced",
            "a-cafebabe",
            "a-log4j",
            "a-amd64",
            "a-oauth2",
            "a-1h30m",
            "20240131",
            "a-20241399",
            "a-p2psync",
            "a-mysql57",
            "a-x86-64",
            "a-k8stools",
            "a-t5-3b",
            "a-pdf2md",
            "a-8x22b",
            "a-1920x1080",
            "a-m3u2strm",
            "a-postgres16to17",
            "a-1150765242",
            "a-1388534399",
            "a-1988150400",
            "a-1150765242123",
        ] {
            assert_eq!(ending(name), None, "{name}");
        }
        assert_eq!(rendered_ending("migrate-1706696553"), None);
        assert_eq!(rendered_ending("migrate-20240131"), Some(("20240131", Volatile::Date)));
        assert!(is_timestamp("2024-01-31T10:22:33Z"));
        assert!(!is_timestamp("2024-01-31"));
    }

    #[test]
    fn checksums() {
        for name in ["a-12345678", "a-1150765242", "a-3f2a9c1e", "a-b-0000000000000000"] {
            assert!(ends_in_checksum(name), "{name}");
        }
        for name in ["a-1234567", "a-deadbeef", "a-3f2a9c1g", "12345678", "a.12345678", "a-"] {
            assert!(!ends_in_checksum(name), "{name}");
        }
    }
}
