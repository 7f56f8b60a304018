//! Reads JSON as Argo CD does: with Go's `encoding/json`, and not as YAML.
//!
//! Most JSON means the same in both. JSON that does not (an escaped slash, an escaped pair of surrogates, tabs) is printed again as one line, which
//! means the same to every reader. Limit of the latter: 128 levels.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::json::{self, Form};
use super::value::{self, Map};
use super::{Document, RefusedBy, SyntaxError, Tree, Value};

/// A document of JSON.
#[derive(Clone, Copy, Debug)]
pub struct JsonDocument<'t> {
    /// The document.
    pub document: Document<'t>,
    /// Whether the JSON was printed again. If so, the document has places in the printed line only.
    pub is_printed: bool,
}

/// Reads a text that is one JSON value, and passes its document to `then`. Fails if Go does not accept the text.
pub fn read<T>(
    text: &str,
    tree: &mut Tree,
    then: impl FnOnce(JsonDocument<'_>) -> Result<T, SyntaxError>,
) -> Result<T, SyntaxError> {
    let document = match tree.read(text).and_then(Document::checked) {
        Err(error) if error.by == RefusedBy::Limit => return Err(error),
        read => read.ok(),
    };
    if let Some(document) = document.filter(|_| is_plain(text)) {
        return then(JsonDocument { document, is_printed: false });
    }
    let value = first_value(text).map(convert)?;
    let means_the_same = |document: &Document<'_>| document.root().map(super::Node::value) == Some(Ok(value.clone()));
    if let Some(document) = document.filter(means_the_same) {
        return then(JsonDocument { document, is_printed: false });
    }
    let line = format!("{}{}", json::print(&value, Form::Stream), if text.ends_with('\n') { "\n" } else { "" });
    // The printed line has other places.
    let moved = |error: SyntaxError| error.moved_to(0);
    let document = tree.read(&line).and_then(Document::checked).map_err(moved)?;
    then(JsonDocument { document, is_printed: true }).map_err(moved)
}

/// The maximum depth of the parser of JSON.
const MAX_DEPTH: usize = 127;

/// The first JSON value of a text.
fn first_value(text: &str) -> Result<serde_json::Value, SyntaxError> {
    let whole = whole_characters(text);
    let mut values = serde_json::Deserializer::from_str(&whole).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) if is_deep(text) => {
            let message = format!("JSON with escapes, nested more than {MAX_DEPTH} levels deep");
            Err(SyntaxError::new(not_json(text, &error).offset, message).of_a_limit())
        }
        Some(Err(error)) => Err(not_json(text, &error)),
        None => Err(SyntaxError::new(0, "the text is empty, expected a JSON value")),
    }
}

/// Whether the parser of JSON may give up because of the depth of the text. Counts brackets in strings, too.
fn is_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// Refuses a text that is not exactly one JSON value, as `.json` files have to be. What begins with a closing bracket behind the value is not read
/// (`More` of `encoding/json`).
pub fn only_one(text: &str) -> Result<(), SyntaxError> {
    let text = &*whole_characters(text);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {}
        Some(Err(error)) => {
            // Reading the value gives a better error message than skipping it.
            return Err(first_value(text).err().unwrap_or_else(|| not_json(text, &error)));
        }
        None => {
            return Err(SyntaxError::new(0, "the file is empty, expected a JSON object"));
        }
    }
    let rest = text[values.byte_offset()..].trim_start();
    if rest.is_empty() || rest.starts_with(['}', ']']) {
        return Ok(());
    }
    let message = "more than one object in a `.json` file: Argo CD allows only one";
    Err(SyntaxError::new(text.len() - rest.len(), message)
        .with_help("put each object into a file of its own, or rename the file to `.yaml`"))
}

/// Whether JSON text means the same as YAML, provided that it is valid YAML: it has no escapes and no U+0085, which only YAML takes for a line break.
fn is_plain(text: &str) -> bool {
    !text.contains(['\\', '\u{85}'])
}

/// The text with U+FFFD in place of each half of a surrogate pair, as Go reads it (`unquote` in `encoding/json`). Every byte keeps its place.
pub(super) fn whole_characters(text: &str) -> Cow<'_, str> {
    let escaped = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        at += match (escaped(at), escaped(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                whole.to_mut().replace_range(at..at + 6, "\\ufffd");
                6
            }
            _ => 2,
        };
        at = at.min(text.len());
    }
    whole
}

fn not_json(text: &str, error: &serde_json::Error) -> SyntaxError {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    SyntaxError::new(offset, format!("invalid JSON: {message}"))
}

/// The value with Kubernetes' types of numbers: integers that fit 64 bits, else floats.
fn convert(found: serde_json::Value) -> Value {
    match found {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(found) => Value::Bool(found),
        serde_json::Value::Number(found) => match found.as_i64() {
            Some(integer) => Value::Int(integer),
            None => value::number(found.as_f64().unwrap_or(0.0)),
        },
        serde_json::Value::String(found) => Value::String(found.into()),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(convert).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, convert(value))).collect::<Map>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value, SyntaxError> {
        read(text, &mut Tree::default(), |json| json.document.root().map_or(Ok(Value::Null), super::super::Node::value))
    }

    #[test]
    fn json_is_read_as_go_reads_it() {
        for (text, is_printed, meant) in [
            (r#"{"a":"b"}"#, false, "b"),
            ("{\n\t\"a\":\t\"b\"\n}", false, "b"),
            (r#"{"a":"b\/c"}"#, true, "b/c"),
            (r#"{"a":"\ud83d\ude80"}"#, true, "\u{1f680}"),
            (r#"{"a":"\ud800"}"#, true, "\u{fffd}"),
            (r#"{"a":"\udc00\ud800x"}"#, true, "\u{fffd}\u{fffd}x"),
            (r#"{"a":"\\ud800"}"#, false, r"\ud800"),
            (r#"{"a":"\u0062"}"#, false, "b"),
        ] {
            assert_eq!(value(text).unwrap().text_at(&["a"]), Some(meant), "{text}");
            let printed = read(text, &mut Tree::default(), |json| Ok(json.is_printed));
            assert_eq!(printed, Ok(is_printed), "{text}");
        }
        for text in ["{a: b}", "{'a': 'b'}", r#"{"a":"\x"}"#, r#"{"a":"\ud80"}"#] {
            let refused = only_one(text).and_then(|()| value(text).map(drop));
            assert_eq!(refused.unwrap_err().by, RefusedBy::ArgoCd, "{text}");
        }
    }
}
