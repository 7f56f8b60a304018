//! What Argo CD reads in a document: the recorded readings of `testdata/oracle`, and laws of reading that need no record.

#![allow(unreachable_pub, reason = "the fuzz targets use it too")]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use goyaml::json::{self, Form};
use goyaml::{SyntaxError, Tree, Value, split};
use serde_json::Value as Json;

/// A document and what Argo CD reads in it; `None` when it refuses it.
struct Recorded {
    name: String,
    text: String,
    reading: Option<Vec<Json>>,
}

/// All that can be read as text and whose reading is not nested deeper than a JSON reader likes.
fn recorded(dir: &Path) -> &'static [Recorded] {
    static ALL: OnceLock<Vec<Recorded>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = fs::read_to_string(dir.join("expected.jsonl")).expect("the recorded readings are there");
        let all: Vec<Recorded> = lines.lines().filter_map(|line| one(dir, line)).collect();
        assert!(all.len() > 90, "only {} recorded readings", all.len());
        all
    })
}

fn one(dir: &Path, line: &str) -> Option<Recorded> {
    let record: Json = serde_json::from_str(line).ok()?;
    let name = record["file"].as_str()?.to_owned();
    let text = fs::read_to_string(dir.join(&name)).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let reading = record["err"].as_str().is_none_or(str::is_empty).then(|| record["docs"].as_array().cloned());
    Some(Recorded { name, text, reading: reading.map(Option::unwrap_or_default) })
}

/// The values that the program reads in a stream, without those that are null; `None` when it refuses it.
fn read(text: &str) -> Option<Vec<Value>> {
    let pieces = split::split(text);
    let mut values = Vec::new();
    for index in 0..pieces.len() {
        let mut tree = Tree::default();
        let document = tree.read(pieces.span(index).of(text)).ok()?.checked().ok()?;
        let value = document.root().map_or(Ok(Value::Null), |root| root.value()).ok()?;
        match value {
            Value::Null => {}
            Value::Map(_) => values.push(value),
            // No object.
            _ => return None,
        }
    }
    pieces.error.is_none().then_some(values)
}

/// The same value in both forms.
fn is_same(value: &Value, json: &Json) -> bool {
    match (value, json) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(one), Json::Bool(other)) => one == other,
        (Value::Int(one), Json::Number(other)) => other.as_i64() == Some(*one),
        (Value::Float(one), Json::Number(other)) => other.as_f64() == Some(*one),
        (Value::String(one), Json::String(other)) => one == other,
        (Value::List(items), Json::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(one, other)| is_same(one, other))
        }
        (Value::Map(map), Json::Object(others)) => {
            map.len() == others.len()
                && map.iter().all(|(key, value)| others.get(key.as_str()).is_some_and(|other| is_same(value, other)))
        }
        _ => false,
    }
}

/// Where the program's reading of a recorded document is another one than Argo CD's, as it is written or with what means nothing. `dir` has the record.
pub fn misread(dir: &Path) -> Option<String> {
    for one in recorded(dir) {
        for text in (0..3).filter_map(|form| in_another_form(&one.text, form)) {
            let found = read(&text);
            let fits = match (&one.reading, &found) {
                (None, None) => true,
                (Some(wanted), Some(found)) => {
                    wanted.len() == found.len() && found.iter().zip(wanted).all(|(one, other)| is_same(one, other))
                }
                _ => false,
            };
            if !fits {
                return Some(format!("{}: {found:?} and not {:?}, of {text:?}", one.name, one.reading));
            }
        }
    }
    None
}

/// The text with what means nothing; `None` where it would mean something.
fn in_another_form(text: &str, how: u8) -> Option<String> {
    let is_yaml = !text.trim_start().starts_with('{');
    match how {
        1 if is_yaml && !text.starts_with('%') && !text.starts_with('\n') => Some(format!("# x\n{text}")),
        2 if is_yaml && text.ends_with('\n') && !text.contains("|+") && !text.contains(">+") => {
            Some(format!("{text}---\n# x\n"))
        }
        0 => Some(text.to_owned()),
        _ => None,
    }
}

/// The laws of reading that hold for every text.
pub fn broken(text: &str) -> Option<String> {
    let pieces = split::split(text);
    let mut end = 0;
    for index in 0..pieces.len() {
        let span = pieces.span(index);
        if span.start < end || span.end > text.len() || !text.is_char_boundary(span.start) {
            return Some(format!("piece {index} is {span:?} after {end}"));
        }
        end = span.end;
        if let Some(complaint) = misread_piece(span.of(text)) {
            return Some(format!("piece {index}: {complaint}"));
        }
    }
    let offset = pieces.error.as_ref().map_or(0, |error| error.offset);
    (offset > text.len()).then(|| format!("an error at {offset}, behind the end"))
}

fn misread_piece(text: &str) -> Option<String> {
    let mut tree = Tree::default();
    let document = match tree.read(text) {
        Err(error) => return (error.offset > text.len()).then(|| format!("{error:?} is behind the end")),
        Ok(document) => document,
    };
    let mut spans = document.nodes().map(|node| node.span());
    if let Some(span) = spans.find(|span| text.get(span.start..span.end).is_none()) {
        return Some(format!("a node at {span:?}"));
    }
    let value = document.root().map_or(Ok(Value::Null), |root| root.value());
    let checked = document.checked();
    match (&value, &checked) {
        (Ok(value), Ok(_)) => not_itself(value),
        (Err(_), Err(_)) => None,
        // It means something to the reader of charts and kustomizations, and not to that of manifests.
        (Ok(_), Err(error)) if is_refused_in_manifests_only(error, text) => None,
        (value, checked) => Some(format!("the value is {value:?}, and the check says {:?}", checked.as_ref().err())),
    }
}

fn is_refused_in_manifests_only(error: &SyntaxError, text: &str) -> bool {
    ["?", "\\/"].iter().any(|refused| {
        error.message.starts_with(&format!("Argo CD's reader does not accept `{refused}`"))
            && text[error.offset..].starts_with(refused)
    })
}

/// A value that is another one when it is printed and read again, by the program or as JSON.
pub fn not_itself(value: &Value) -> Option<String> {
    let printed = json::print(value, Form::Stream);
    if printed.len() > 100_000 {
        return None;
    }
    let again = Value::read(&printed);
    if again.as_ref().ok() != Some(value) && !has_negative_zero(value) {
        return Some(format!("{value:?} is printed as {printed}, and read as {again:?}"));
    }
    let canonical = json::print(value, Form::Canonical);
    for text in [&printed, &canonical] {
        match serde_json::from_str::<Json>(text) {
            Ok(json) if text == &canonical || is_same(value, &json) => {}
            // Nested deeper than a JSON reader likes.
            Err(error) if error.to_string().contains("recursion limit") => {}
            other => return Some(format!("{value:?} is printed as {text}, which is {other:?} as JSON")),
        }
    }
    None
}

/// `-0.0` is printed as `-0`, which is the integer 0.
fn has_negative_zero(value: &Value) -> bool {
    match value {
        Value::Float(number) => *number == 0.0,
        Value::List(items) => items.iter().any(has_negative_zero),
        Value::Map(map) => map.values().any(has_negative_zero),
        _ => false,
    }
}
