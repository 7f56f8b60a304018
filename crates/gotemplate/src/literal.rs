//! Literals in templates: numbers, quoted texts and characters.

use super::error::{Result, failed, unknown};

/// A number as it is written. The context decides whether it is an int or a float.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) int: Option<i64>,
    pub(super) float: Option<f64>,
    /// Whether it is a float when the context accepts any type.
    pub(super) is_float: bool,
}

/// Parses a number. Rare forms (with `_`, of base 2 and 8, complex, hexadecimal floats) are not implemented.
pub(super) fn number(text: &str) -> Result<Number> {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'+' | b'-') => text.split_at(1),
        _ => ("", text),
    };
    let based = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_alphabetic();
    if text.contains(['_', 'i', 'p', 'P']) || based && !digits.starts_with("0e") && !digits.starts_with("0x") {
        return unknown(format!("the number {text}"));
    }
    let radix = if digits.starts_with("0x") {
        16
    } else if digits.len() > 1 && digits.starts_with('0') {
        8
    } else {
        10
    };
    let bare = digits.strip_prefix("0x").unwrap_or(digits);
    if !bare.starts_with(['+', '-']) {
        if let Ok(int) = i64::from_str_radix(&format!("{sign}{bare}"), radix) {
            return Ok(Number { int: Some(int), float: Some(int as f64), is_float: false });
        }
        if sign.is_empty() && u64::from_str_radix(bare, radix).is_ok() {
            return failed(format!("{text} overflows int"));
        }
    }
    let is_float = text.contains(['.', 'e', 'E']) && radix != 16;
    match text.parse::<f64>() {
        Ok(float) if is_float && float.is_finite() => {
            let int = (float.abs() < 9.2e18 && float.fract() == 0.0).then_some(float as i64);
            Ok(Number { int, float: Some(float), is_float })
        }
        _ => failed(format!("bad number syntax: \"{text}\"")),
    }
}

/// A character in quotes, as the number of its code point.
pub(super) fn character(text: &str) -> Result<Number> {
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text);
    let plain = unquoted(inner, '\'')?;
    let mut chars = plain.chars();
    match (chars.next(), chars.next()) {
        (Some(found), None) => {
            let int = i64::from(u32::from(found));
            Ok(Number { int: Some(int), float: Some(int as f64), is_float: false })
        }
        _ => failed(format!("malformed character constant: {text}")),
    }
}

/// A text in double quotes or backquotes.
pub(super) fn text(quoted: &str) -> Result<String> {
    match quoted.strip_prefix('`') {
        Some(raw) => Ok(raw.strip_suffix('`').unwrap_or(raw).replace('\r', "")),
        None => unquoted(quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted), '"'),
    }
}

fn unquoted(inner: &str, quote: char) -> Result<String> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(found) = chars.next() {
        if found != '\\' {
            bytes.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escape = chars.next();
        let plain = match escape {
            Some('a') => 7,
            Some('b') => 8,
            Some('f') => 12,
            Some('n') => b'\n',
            Some('r') => b'\r',
            Some('t') => b'\t',
            Some('v') => 11,
            Some('\\') => b'\\',
            Some(found) if found == quote => quote as u8,
            Some('x') => coded(&mut chars, 2, 16)? as u8,
            Some(first @ '0'..='7') => {
                let code = u32::from(first) - u32::from('0');
                match code * 64 + coded(&mut chars, 2, 8)? {
                    code @ 0..=255 => code as u8,
                    _ => return failed("invalid syntax"),
                }
            }
            Some(wide @ ('u' | 'U')) => {
                let Some(found) = char::from_u32(coded(&mut chars, if wide == 'u' { 4 } else { 8 }, 16)?) else {
                    return failed("invalid syntax");
                };
                bytes.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            _ => return failed("invalid syntax"),
        };
        bytes.push(plain);
    }
    String::from_utf8(bytes).or_else(|_| unknown("a text that is not UTF-8"))
}

/// The code point that `count` digits of an escape stand for.
fn coded(chars: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Result<u32> {
    let mut code: u32 = 0;
    for _ in 0..count {
        let Some(digit) = chars.next().and_then(|found| found.to_digit(radix)) else { return failed("invalid syntax") };
        code = code.saturating_mul(radix).saturating_add(digit);
    }
    Ok(code)
}
