//! Sprig's functions for texts (`strings.go`). Go cuts texts between any two bytes; a result that is not UTF-8 counts
//! as not implemented.

use super::{Call, Function, function};
use crate::error::{Result, failed, unknown};
use crate::format::{print, quote};
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("abbrev", "is", |call| {
        let (width, text) = (call.int(0), call.text(1));
        Ok(Value::text(if width < 4 { text.to_owned() } else { abbreviate(text, 0, width)? }))
    }),
    function("abbrevboth", "iis", |call| {
        let (left, right, text) = (call.int(0), call.int(1), call.text(2));
        Ok(Value::text(if right < 4 || left > 0 && right < 7 {
            text.to_owned()
        } else {
            abbreviate(text, left, right)?
        }))
    }),
    function("cat", "a*", |call| Ok(Value::text(shown(call, print).join(" ")))),
    function("contains", "ss", |call| Ok(Value::Bool(call.text(1).contains(call.text(0))))),
    function("hasPrefix", "ss", |call| Ok(Value::Bool(call.text(1).starts_with(call.text(0))))),
    function("hasSuffix", "ss", |call| Ok(Value::Bool(call.text(1).ends_with(call.text(0))))),
    function("indent", "is", |call| Ok(Value::text(indent(call)?))),
    function("nindent", "is", |call| Ok(Value::text(format!("\n{}", indent(call)?)))),
    function("plural", "ssi", |call| Ok(call.any(usize::from(call.int(2) != 1)).clone())),
    function("quote", "a*", |call| Ok(Value::text(shown(call, |value| quote(&print(value))).join(" ")))),
    function("repeat", "is", |call| {
        let Ok(count) = usize::try_from(call.int(0)) else { return failed("strings: negative Repeat count") };
        call.work.text(count, call.text(1).len())?;
        Ok(Value::text(if call.text(1).is_empty() { String::new() } else { call.text(1).repeat(count) }))
    }),
    function("replace", "sss", |call| {
        let (old, new, text) = (call.text(0), call.text(1), call.text(2));
        call.work.text(if old.is_empty() { text.len() + 1 } else { text.matches(old).count() }, new.len())?;
        Ok(Value::text(text.replace(old, new)))
    }),
    function("squote", "a*", |call| Ok(Value::text(shown(call, |value| format!("'{}'", print(value))).join(" ")))),
    function("substr", "iis", substr),
    function("toString", "a", |call| Ok(Value::text(print(call.any(0))))),
    function("trim", "s", |call| Ok(Value::text(call.text(0).trim()))),
    function("trimAll", "ss", trim_all),
    function("trimPrefix", "ss", |call| {
        Ok(Value::text(call.text(1).strip_prefix(call.text(0)).unwrap_or(call.text(1))))
    }),
    function("trimSuffix", "ss", |call| {
        Ok(Value::text(call.text(1).strip_suffix(call.text(0)).unwrap_or(call.text(1))))
    }),
    function("trimall", "ss", trim_all),
    function("trunc", "is", |call| {
        let text = call.text(1);
        let length = text.len() as i64;
        Ok(Value::text(match call.int(0) {
            count if count < 0 && length + count > 0 => cut(text, length + count, length)?,
            count if count >= 0 && length > count => cut(text, 0, count)?,
            _ => text,
        }))
    }),
];

/// Functions that change letters and words.
pub(super) const CASES: &[Function] = &[
    function("initials", "s", |call| {
        let (mut out, mut was_gap) = (String::new(), true);
        for found in call.text(0).bytes().map(char::from) {
            let is_gap = found.is_whitespace();
            if was_gap && !is_gap {
                out.push(found);
            }
            was_gap = is_gap;
        }
        Ok(Value::text(out))
    }),
    function("lower", "s", |call| Ok(Value::text(call.text(0).chars().map(lower_char).collect::<String>()))),
    function("nospace", "s", |call| {
        // Sprig treats each byte as a character.
        let text = call.text(0);
        let is_clean = !text.bytes().any(|byte| char::from(byte).is_whitespace());
        let bare = text.bytes().map(char::from).filter(|found| !found.is_whitespace());
        Ok(if is_clean { call.any(0).clone() } else { Value::text(bare.collect::<String>()) })
    }),
    function("swapcase", "s", |call| {
        let swap = |found: char, _| if found.is_uppercase() { Some(lower_char(found)) } else { upper_char(found) };
        changed(call.text(0), swap)
    }),
    function("title", "s", |call| {
        changed(call.text(0), |found, before| {
            let is_letter =
                |found: char| found == '_' || found.is_alphanumeric() || !found.is_ascii() && !found.is_whitespace();
            if before.is_some_and(is_letter) { Some(found) } else { upper_char(found) }
        })
    }),
    function("untitle", "s", |call| {
        changed(call.text(0), |found, before| {
            Some(if before.is_none_or(char::is_whitespace) { lower_char(found) } else { found })
        })
    }),
    function("upper", "s", |call| changed(call.text(0), |found, _| upper_char(found))),
    function("wrap", "is", |call| Ok(Value::text(wrap(call, call.text(1), "\n", false)?))),
    function("wrapWith", "iss", |call| {
        let separator = if call.text(1).is_empty() { "\n" } else { call.text(1) };
        Ok(Value::text(wrap(call, call.text(2), separator, true)?))
    }),
];

/// `unicode.ToLower`.
pub(super) fn lower_char(found: char) -> char {
    let mut lower = found.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        // The only letter whose lower case in Rust has two characters.
        _ if found == '\u{130}' => 'i',
        _ => found,
    }
}

/// `unicode.ToUpper`; `None` for Greek letters with an iota, whose upper case in Rust has two characters.
fn upper_char(found: char) -> Option<char> {
    let mut upper = found.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => Some(one),
        _ => (!('\u{1f80}'..='\u{1fff}').contains(&found)).then_some(found),
    }
}

/// Maps each character; `change` also gets the character before it.
fn changed(text: &str, change: fn(char, Option<char>) -> Option<char>) -> Result<Value> {
    let mut before = None;
    let changed: Option<String> = text.chars().map(|found| change(found, before.replace(found))).collect();
    changed.map_or_else(|| unknown("such letters"), |text| Ok(Value::text(text)))
}

fn trim_all(call: &Call<'_>) -> Result<Value> {
    let (set, text) = (call.text(0), call.text(1));
    call.work.text(set.len(), text.len())?;
    Ok(Value::text(text.trim_matches(|found| set.contains(found))))
}

/// The arguments as texts, without nils.
fn shown(call: &Call<'_>, show: fn(&Value) -> String) -> Vec<String> {
    call.arguments.iter().filter(|value| !matches!(value, Value::Nil)).map(show).collect()
}

/// The bytes from `start` to `end` of a text.
pub(super) fn cut(text: &str, start: i64, end: i64) -> Result<&str> {
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) if start <= end && end <= text.len() => {
            text.get(start..end).map_or_else(|| unknown("a text that is not UTF-8"), Ok)
        }
        _ => failed("slice bounds out of range"),
    }
}

fn substr(call: &Call<'_>) -> Result<Value> {
    let (start, end, text) = (call.int(0), call.int(1), call.text(2));
    let length = text.len() as i64;
    Ok(Value::text(if start < 0 {
        cut(text, 0, end)?
    } else if end < 0 || end > length {
        cut(text, start, length)?
    } else {
        cut(text, start, end)?
    }))
}

fn indent(call: &Call<'_>) -> Result<String> {
    let Ok(spaces) = usize::try_from(call.int(0)) else { return failed("strings: negative Repeat count") };
    let text = call.text(1);
    call.work.text(text.matches('\n').count() + 1, spaces)?;
    let pad = " ".repeat(spaces);
    Ok(format!("{pad}{}", text.replace('\n', &format!("\n{pad}"))))
}

/// `goutils.AbbreviateFull`; an empty text when that fails.
fn abbreviate(text: &str, offset: i64, width: i64) -> Result<String> {
    let length = text.len() as i64;
    if length <= width {
        return Ok(text.to_owned());
    }
    let mut offset = offset.min(length);
    if length - offset < width - 3 {
        offset = length - (width - 3);
    }
    if offset <= 4 {
        return Ok(format!("{}...", cut(text, 0, width - 3)?));
    }
    if width < 7 {
        return Ok(String::new());
    }
    if offset + width - 3 < length {
        let rest = cut(text, offset, length)?;
        return Ok(format!("...{}", abbreviate(rest, 0, width - 3)?));
    }
    Ok(format!("...{}", cut(text, length - (width - 3), length)?))
}

/// `goutils.WrapCustom`.
fn wrap(call: &Call<'_>, text: &str, separator: &str, breaks_words: bool) -> Result<String> {
    let width = call.int(0).max(1);
    let length = text.len() as i64;
    call.work.text(usize::try_from(length / width.max(1) + 1).unwrap_or(0), separator.len())?;
    let (mut out, mut offset) = (String::new(), 0);
    while length - offset > width {
        call.work.spend(1)?;
        let rest = cut(text, offset, length)?;
        if rest.starts_with(' ') {
            offset += 1;
            continue;
        }
        let window = &rest.as_bytes()[..width as usize + 1];
        let (end, next) = match window.iter().rposition(|byte| *byte == b' ') {
            Some(at) => (offset + at as i64, offset + at as i64 + 1),
            None if breaks_words => (offset + width, offset + width),
            None => match rest.as_bytes()[width as usize..].iter().position(|byte| *byte == b' ') {
                Some(at) => (offset + width + at as i64, offset + width + at as i64 + 1),
                None => break,
            },
        };
        out.push_str(cut(text, offset, end)?);
        out.push_str(separator);
        offset = next;
    }
    out.push_str(cut(text, offset, length)?);
    Ok(out)
}
