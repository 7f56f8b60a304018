//! Gives scalars the types that Argo CD reads: YAML 1.1 as go-yaml v2 resolves it (`resolve.go`, v2.4).
//!
//! `yes`, `on` and `y` are booleans, `0644` is 420, `1_000` is 1000; `12:30:45` and dates stay texts. A number has the type that the repo-server
//! reads after the cmp-server has printed it as JSON: `1e3` is the integer 1000.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

use super::number;
use super::parser::Style;

/// The typed value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'t> {
    /// `~`, `null`, or an empty scalar.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other number, also infinity and NaN, which JSON does not have.
    Float(f64),
    /// Any other scalar.
    Text(Cow<'t, str>),
}

/// In events, YAML's own tags (`!!str`) begin with this.
const CORE: &str = "tag:yaml.org,2002:";

/// The tag of a text in base64.
const BINARY: &str = "binary";

/// Whether the tag says that the text is in base64.
pub(super) fn is_binary(tag: &str) -> bool {
    tag.strip_prefix(CORE) == Some(BINARY)
}

/// Resolves one scalar. The error is a message without a place.
pub fn resolve<'t>(tag: Option<&str>, style: Style, value: &'t str) -> Result<Scalar<'t>, String> {
    let tag = tag.unwrap_or("");
    if tag.is_empty() {
        if style != Style::Plain {
            return Ok(Scalar::Text(Cow::Borrowed(value)));
        }
        return Ok(plain(value));
    }
    match tag.strip_prefix(CORE) {
        Some(BINARY) => decode_base64(value).map(|text| Scalar::Text(Cow::Owned(text))),
        Some(kind @ ("bool" | "int" | "float" | "null" | "timestamp")) => tagged(kind, value),
        // `!!str` and tags that go-yaml does not know.
        _ => Ok(Scalar::Text(Cow::Borrowed(value))),
    }
}

/// A plain scalar without a tag.
pub fn plain(value: &str) -> Scalar<'_> {
    let text = || Scalar::Text(Cow::Borrowed(value));
    match value.as_bytes().first() {
        None => Scalar::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(value).unwrap_or_else(text)
        }
        Some(b'.') => word(value).or_else(|| number::parse_float_after_dot(value).map(float)).unwrap_or_else(text),
        Some(b'+' | b'-' | b'0'..=b'9') => word(value).or_else(|| digits(value)).unwrap_or_else(text),
        _ => text(),
    }
}

/// The words that have a value of another type (`resolveMap`).
fn word(value: &str) -> Option<Scalar<'static>> {
    Some(match value {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn digits(value: &str) -> Option<Scalar<'static>> {
    let plain = if value.contains('_') { Cow::Owned(value.replace('_', "")) } else { Cow::Borrowed(value) };
    if let Some(found) = number::parse_integer(&plain) {
        return Some(integer(found));
    }
    if let Some(found) =
        Some(&plain).filter(|plain| number::is_yaml_float(plain)).and_then(|plain| number::parse_float(plain))
    {
        return Some(float(found));
    }
    // The sign after `0b` stays, because go-yaml accepts `0b-101` too. Texts with `-0b` have already been read as integers above.
    number::parse_binary(plain.strip_prefix("0b")?).map(integer)
}

/// An integer above `i64::MAX` becomes a float in an unstructured object.
fn integer(found: i128) -> Scalar<'static> {
    i64::try_from(found).map_or(Scalar::Float(found as f64), Scalar::Int)
}

fn float(found: f64) -> Scalar<'static> {
    number::as_integer(found).map_or(Scalar::Float(found), Scalar::Int)
}

/// A scalar with one of the tags that go-yaml checks.
fn tagged<'t>(kind: &str, value: &'t str) -> Result<Scalar<'t>, String> {
    let found = plain(value);
    let fits = match (kind, &found) {
        ("bool", Scalar::Bool(_)) | ("null", Scalar::Null) | ("float", Scalar::Float(_) | Scalar::Int(_)) => true,
        ("int", Scalar::Int(_)) => is_written_as_integer(value),
        ("int", Scalar::Float(_)) => is_written_as_integer(value),
        ("timestamp", Scalar::Text(_)) => is_timestamp(value),
        _ => false,
    };
    // The message must not contain the value, which can be that of a Secret.
    if fits { Ok(found) } else { Err(format!("the value does not fit its tag `!!{kind}`")) }
}

fn is_written_as_integer(value: &str) -> bool {
    let plain = value.replace('_', "");
    number::parse_integer(&plain).is_some() || (!number::is_yaml_float(&plain) && plain.contains("0b"))
}

/// Whether the value is roughly in one of `allowedTimestampFormats`: a date, alone or with a time. The value stays a text either way.
pub(super) fn is_timestamp(value: &str) -> bool {
    let date = value.split(['T', 't', ' ']).next().unwrap_or("");
    let parts: Vec<&str> = date.split('-').collect();
    let within = |part: &str, most: u32| part.len() <= 2 && part.parse::<u32>().is_ok_and(|n| (1..=most).contains(&n));
    matches!(parts.as_slice(), [year, month, day]
        if year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()) && within(month, 12) && within(day, 31))
}

/// Go's `base64.StdEncoding`: padding is required, bits after the last byte are ignored.
const GO_BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// The text of a `!!binary` scalar. Line breaks are skipped; bytes that are not UTF-8 become U+FFFD, as in `encoding/json`.
pub(super) fn decode_base64(value: &str) -> Result<String, String> {
    let digits: Vec<u8> = value.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let bytes = GO_BASE64.decode(digits).map_err(|_| "!!binary value contains invalid base64 data".to_owned())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Scalar<'_> {
        Scalar::Text(Cow::Borrowed(value))
    }

    #[test]
    fn plain_scalars_are_yaml_1_1_as_go_reads_it() {
        for (written, meant) in [
            ("yes", Scalar::Bool(true)),
            ("N", Scalar::Bool(false)),
            ("", Scalar::Null),
            ("0755", Scalar::Int(493)),
            ("08", Scalar::Int(8)),
            ("1_000", Scalar::Int(1000)),
            ("0b101", Scalar::Int(5)),
            ("-0b101", Scalar::Int(-5)),
            ("0b-101", Scalar::Int(-5)),
            ("0b+1_0", Scalar::Int(2)),
            ("1e3", Scalar::Int(1000)),
            (".5", Scalar::Float(0.5)),
            (".5_1", Scalar::Float(0.51)),
            ("18446744073709551615", Scalar::Float(18_446_744_073_709_551_615.0)),
        ] {
            assert_eq!(plain(written), meant, "{written}");
        }
        for written in ["12:30:45", "2001-01-01", "1e400", "yEs", "0o8", "_1", "+", ".", "-"] {
            assert_eq!(plain(written), text(written));
        }
        for written in ["._5", ".5_", ".5__1", ".5_e1"] {
            assert_eq!(plain(written), text(written));
        }
        for written in ["0b", "0b-", "0b2", "0b-2", "-0b-1", "-0b2", "+0b2"] {
            assert_eq!(plain(written), text(written));
        }
        // One more than fits an `int64`: only a text without a sign is read as a `uint64`.
        let beyond = format!("1{}", "0".repeat(63));
        assert_eq!(plain(&format!("0b{beyond}")), Scalar::Float(9_223_372_036_854_775_808.0));
        assert_eq!(plain(&format!("0b-{beyond}")), Scalar::Int(i64::MIN));
        assert_eq!(plain(&format!("0b+{beyond}")), text(&format!("0b+{beyond}")));
    }

    #[test]
    fn tags_decide_or_are_refused() {
        let core = |kind: &str| format!("{CORE}{kind}");
        assert_eq!(resolve(Some(&core("str")), Style::Plain, "123"), Ok(text("123")));
        assert_eq!(resolve(Some(&core("int")), Style::DoubleQuoted, "42"), Ok(Scalar::Int(42)));
        assert_eq!(resolve(Some("!"), Style::Plain, "12"), Ok(text("12")));
        assert_eq!(resolve(Some(&core("binary")), Style::Plain, "Sm9i"), Ok(text("Job")));
        assert!(resolve(Some(&core("int")), Style::Plain, "x").is_err());
        assert!(resolve(Some(&core("binary")), Style::Plain, "Sm9").is_err());
    }
}
