//! Endings of names, and values, that look as if every rendering made another: dates, times, revisions, random text.
//!
//! A name is blamed only when little else could be meant: `-v2`, `-k8s`, `-2024`, `-step10` are words.

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changing {
    /// `20240131`, `2024-01-31-10-22`
    Date,
    /// `1706696553`
    UnixTime,
    /// `3f2a9c1`
    Revision,
    /// `x7k2p`
    Random,
}

impl Changing {
    /// In the words of a message.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Date => "a date",
            Self::UnixTime => "a point in time",
            Self::Revision => "a revision or a hash",
            Self::Random => "a random text",
        }
    }
}

/// The ending of a name that looks so, and what it looks like.
pub(super) fn ending(name: &str) -> Option<(&str, Changing)> {
    let name = name.trim_end_matches('-');
    dated(name).map(|ending| (ending, Changing::Date)).or_else(|| {
        let (_, last) = name.rsplit_once(['-', '.'])?;
        segment(last).map(|found| (last, found))
    })
}

/// True for a date with a time in it, as RFC 3339 has it.
pub(super) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 19
        && matches!(bytes[10], b'T' | b't' | b' ')
        && is_date(&text.as_bytes()[..10], true)
        && bytes[11..19]
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 2 | 5) { *byte == b':' } else { byte.is_ascii_digit() })
}

/// True for text of letters and digits in which nobody would see a word.
pub(super) fn is_random(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let bytes = text.as_bytes();
    if !(5..=16).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let turns = bytes.windows(2).filter(|pair| is_digit(&pair[0]) != is_digit(&pair[1])).count();
    let has_vowel = bytes.iter().any(|byte| b"aeiouAEIOU".contains(byte));
    turns >= 2 && (turns >= 3 || !has_vowel) && !is_word(text)
}

/// `v1beta1`, `utf8mb4`, `pg16to17`, `s3v4`, `1h30m`: turns between letters and digits, and words all the same.
fn is_word(text: &str) -> bool {
    const BEGINNINGS: [&str; 7] = ["k8s", "e2e", "s3", "x86", "p2p", "b2b", "gp3"];
    const PARTS: [&str; 13] =
        ["alpha", "beta", "rc", "utf", "mb", "pg", "to", "amd", "arm", "ipv", "min", "sec", "oauth"];
    const DURATION: [&str; 5] = ["d", "h", "m", "s", "ms"];
    let lower = text.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(|found: char| found.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let is_known = |part: &&str| PARTS.contains(part) || part.len() >= 4;
    let version = if parts.first() == Some(&"v") && lower.starts_with('v') { &parts[1..] } else { &parts[..] };
    version.iter().all(is_known)
        || parts.iter().all(|part| DURATION.contains(part)) && lower.starts_with(|found: char| found.is_ascii_digit())
        || BEGINNINGS.into_iter().any(|word| lower.starts_with(word))
}

fn segment(text: &str) -> Option<Changing> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == bytes.len() {
        return match bytes.len() {
            10 | 13 if bytes[0] == b'1' => Some(Changing::UnixTime),
            8 | 12 | 14 if is_date(&bytes[..8], false) => Some(Changing::Date),
            _ => None,
        };
    }
    let is_hex = bytes.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte));
    if is_hex && digits > 0 && (7..=64).contains(&bytes.len()) {
        return Some(Changing::Revision);
    }
    is_random(text).then_some(Changing::Random)
}

/// `…-2024-01-31`, perhaps with more numbers of two digits or one of four or six behind it.
fn dated(name: &str) -> Option<&str> {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-' || *byte == b'.' || *byte == b'_';
    let start = name.rfind(|found: char| !found.is_ascii() || !is_number(&(found as u8))).map_or(0, |at| at + 1);
    let ending = name.get(start..)?.trim_start_matches(['-', '.', '_']);
    let bytes = ending.as_bytes();
    let long = bytes.len() >= 10 && is_date(&bytes[..10], true);
    let short = bytes.len() > 9 && is_date(&bytes[..8], false) && matches!(bytes[8], b'-' | b'.' | b'_');
    (long || short).then_some(ending)
}

/// `2024-01-31` with separators, `20240131` without, of this century.
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
            ("migrate-20240131", ("20240131", Changing::Date)),
            ("migrate-20240131-1022", ("20240131-1022", Changing::Date)),
            ("migrate-2024-01-31", ("2024-01-31", Changing::Date)),
            ("migrate-2024-01-31-10-22", ("2024-01-31-10-22", Changing::Date)),
            ("migrate-20240131102233", ("20240131102233", Changing::Date)),
            ("migrate-1706696553", ("1706696553", Changing::UnixTime)),
            ("migrate-3f2a9c1", ("3f2a9c1", Changing::Revision)),
            ("migrate-x7k2p", ("x7k2p", Changing::Random)),
            ("migrate-8fqk6", ("8fqk6", Changing::Random)),
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
            "a-postgres16to17",
        ] {
            assert_eq!(ending(name), None, "{name}");
        }
        assert!(is_timestamp("2024-01-31T10:22:33Z"));
        assert!(!is_timestamp("2024-01-31"));
    }
}
