//! Plain scalars by a model: go-yaml's `resolve` (v2.4) written a second time, from its text and not from ours, without speed.

use goyaml::Value;
use goyaml::resolve::{Scalar, plain};
use kube_jobs::argocd::wave;

use crate::recorded::not_itself;

/// What a plain scalar means.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text,
}

const TRUE: [&str; 11] = ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE: [&str; 11] = ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];
const NULL: [&str; 5] = ["", "~", "null", "Null", "NULL"];
const INFINITE: [&str; 6] = [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"];

fn meaning(text: &str) -> Meaning {
    let is_one = |words: &[&str]| words.contains(&text);
    match text {
        _ if is_one(&NULL) => Meaning::Null,
        _ if is_one(&TRUE) => Meaning::Bool(true),
        _ if is_one(&FALSE) => Meaning::Bool(false),
        _ if is_one(&INFINITE) => Meaning::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Meaning::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Meaning::Float(f64::NAN),
        _ if text.starts_with(['+', '-', '.']) || text.starts_with(|first: char| first.is_ascii_digit()) => {
            number(text)
        }
        _ => Meaning::Text,
    }
}

fn number(text: &str) -> Meaning {
    if text.starts_with('.') {
        // strconv.ParseFloat, which takes underscores between digits only with a base prefix: here, as recorded, between digits.
        let bytes: Vec<u8> = text.bytes().collect();
        let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_') {
            if !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1)) {
                return Meaning::Text;
            }
        }
    }
    let plain: String = text.chars().filter(|found| *found != '_').collect();
    if !text.starts_with('.')
        && let Some(found) = integer(&plain)
    {
        return found;
    }
    if let Some(found) = decimal(&plain) {
        return found;
    }
    // What Go's prefixes have not taken: a sign behind the prefix.
    if !text.starts_with('.')
        && let Some((sign, rest)) =
            plain.strip_prefix("-0b").map(|rest| ("-", rest)).or(plain.strip_prefix("0b").map(|rest| ("", rest)))
    {
        let signed = format!("{sign}{rest}");
        return based(&signed, 2).unwrap_or(Meaning::Text);
    }
    Meaning::Text
}

/// `strconv.ParseInt(text, 0, 64)`, or else `ParseUint`.
fn integer(text: &str) -> Option<Meaning> {
    let (sign, rest) = match text.chars().next()? {
        '-' => ("-", &text[1..]),
        '+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let lower = rest.to_ascii_lowercase();
    let (base, digits) = match lower.get(..2) {
        Some("0x") => (16, &rest[2..]),
        Some("0b") => (2, &rest[2..]),
        Some("0o") => (8, &rest[2..]),
        _ if rest.len() > 1 && rest.starts_with('0') => (8, &rest[1..]),
        _ => (10, rest),
    };
    if !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    based(&format!("{sign}{digits}"), base)
}

/// Digits with perhaps a sign, in 64 bits; above those of a signed integer only without a sign, and then as a float.
fn based(text: &str, base: u32) -> Option<Meaning> {
    let (sign, digits) = match text.chars().next()? {
        '-' => (-1, &text[1..]),
        '+' => (1, &text[1..]),
        _ => (0, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut size: u128 = 0;
    for digit in digits.chars() {
        // Saturating: more digits never make it smaller.
        size = size.saturating_mul(base.into()).saturating_add(digit.to_digit(base)?.into());
    }
    let signed = i128::try_from(size).ok().map(|size| if sign < 0 { -size } else { size });
    if let Some(found) = signed.and_then(|signed| i64::try_from(signed).ok()) {
        return Some(Meaning::Int(found));
    }
    (sign == 0).then(|| u64::try_from(size).ok()).flatten().map(|size| Meaning::Float(size as f64))
}

/// A decimal number with a point or an exponent, or too large for 64 bits.
fn decimal(text: &str) -> Option<Meaning> {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |rest: &mut &str| {
        let end = rest.find(|found: char| !found.is_ascii_digit()).unwrap_or(rest.len());
        *rest = &rest[end..];
        end
    };
    let whole = digits(&mut rest);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        let fraction = digits(&mut rest);
        if whole + fraction == 0 {
            return None;
        }
    } else if whole == 0 {
        return None;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        rest = after.strip_prefix(['+', '-']).unwrap_or(after);
        if digits(&mut rest) == 0 {
            return None;
        }
    }
    let value: f64 = if rest.is_empty() { text.parse().ok()? } else { return None };
    if value.is_infinite() {
        return None;
    }
    // Go prints whole numbers below 1e21 without a point, and they are read again.
    let whole = format!("{value}");
    let is_whole = value.fract() == 0.0 && value.abs() < 1e21;
    Some(whole.parse().ok().filter(|_| is_whole).map_or(Meaning::Float(value), Meaning::Int))
}

fn is_same(found: &Scalar<'_>, wanted: &Meaning, text: &str) -> bool {
    match (found, wanted) {
        (Scalar::Null, Meaning::Null) => true,
        (Scalar::Bool(one), Meaning::Bool(other)) => one == other,
        (Scalar::Int(one), Meaning::Int(other)) => one == other,
        (Scalar::Float(one), Meaning::Float(other)) => one == other || one.is_nan() && other.is_nan(),
        (Scalar::Text(one), Meaning::Text) => one == text,
        _ => false,
    }
}

/// Where a text as a plain scalar is something else than the model says, or a number is not read as it is printed.
pub fn broken(data: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(data) {
        let (found, wanted) = (plain(text), meaning(text));
        if !is_same(&found, &wanted, text) {
            return Some(format!("{text:?} is {found:?}, and {wanted:?} by the model"));
        }
        let as_go_does = go_atoi(text);
        if wave(text) != as_go_does {
            return Some(format!("{text:?} as a wave is {:?} and not {as_go_does:?}", wave(text)));
        }
    }
    let bytes: [u8; 8] = data.get(..8)?.try_into().ok()?;
    let (whole, float) = (i64::from_le_bytes(bytes), f64::from_le_bytes(bytes));
    let number = if float.is_finite() { goyaml::value::number(float) } else { Value::Null };
    not_itself(&Value::Int(whole)).or_else(|| not_itself(&number))
}

/// `strconv.Atoi`.
fn go_atoi(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let Meaning::Int(found) = based(text, 10).filter(|_| is_number)? else { return None };
    Some(found)
}
