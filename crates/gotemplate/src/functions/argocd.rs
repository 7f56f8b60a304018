//! Argo CD's own functions (`applicationset/utils/utils.go`).

use super::{Call, Function, function};
use crate::error::{Result, failed};
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("normalize", "s", |call| Ok(Value::text(normalize(call.text(0))))),
    function("slugify", "a*", slugify),
    // The execution calls `tpl` itself, because it needs the other templates.
    function("tpl", "sa", |_| failed("not called here")),
];

/// `SanitizeName`: changes a text into a valid DNS name.
fn normalize(name: &str) -> String {
    let allowed = |found: char| matches!(found, 'a'..='z' | '0'..='9' | '-' | '.');
    let lower = name.chars().map(super::strings::lower_char);
    let mut clean: String = lower.map(|found| if allowed(found) { found } else { '-' }).collect();
    clean.truncate(253);
    clean.trim_matches(['-', '.']).to_owned()
}

/// `SlugifyName`: the arguments are an optional maximum length, whether to cut only between words, and the name,
/// which is always last.
fn slugify(call: &Call<'_>) -> Result<Value> {
    let (mut length, mut is_smart, mut name) = (50, true, "");
    for (at, argument) in call.arguments.iter().enumerate() {
        match (at, argument) {
            (_, Value::Text(text)) if at + 1 == call.arguments.len() => name = text,
            (0, Value::Int(found)) if at + 1 < call.arguments.len() => length = *found,
            (1, Value::Bool(found)) if at + 1 < call.arguments.len() => is_smart = *found,
            (2.., _) if at + 1 < call.arguments.len() => {}
            _ => return failed("interface conversion"),
        }
    }
    let clean = normalize(name);
    let mut slug: String = clean.as_str().into();
    let Ok(size) = usize::try_from(length) else {
        return if is_smart { Ok(Value::text(dashed(&slug))) } else { failed("slice bounds out of range") };
    };
    if !is_smart && slug.len() >= size {
        slug.truncate(size);
    }
    let slug = dashed(&slug);
    if size == 0 || !is_smart || slug.len() <= size {
        return Ok(Value::text(slug));
    }
    let end = slug[..=size].rfind('-').unwrap_or(size);
    Ok(Value::text(&slug[..end]))
}

/// Replaces runs of `-` and `.` by one dash.
fn dashed(clean: &str) -> String {
    let parts: Vec<_> = clean.split(['-', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-")
}
