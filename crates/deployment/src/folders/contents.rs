//! Decides from the text of a file whether it is a manifest, a template or something else.

use goyaml::Value;
use goyaml::split::split;
use serde_json::Value as Json;

/// What a YAML or JSON file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// At least one object with a kind, or a text that was meant to be one and is broken.
    Manifest,
    /// A template, which is YAML only after a tool has rendered it.
    Template,
    /// Anything else: values, the configuration of a program, or no object at all.
    Other,
}

pub(super) fn content_of(text: &str, is_json: bool) -> Content {
    let has_words = text.contains("kind") && text.contains("apiVersion");
    // Escapes or `!!binary` can hide the words: such texts are parsed, too.
    if !has_words && !text.contains("{{") && !text.contains(['\\', '!']) {
        return Content::Other;
    }
    // JSON may be indented with tabs, which YAML does not allow: parse it as JSON first.
    let is_json_object =
        |json: Json| json["kind"].is_string() && (json["apiVersion"].is_string() || json["items"].is_array());
    if is_json && serde_json::from_str::<Json>(text).is_ok_and(is_json_object) {
        return Content::Manifest;
    }
    let pieces = split(text);
    let mut is_broken = pieces.error.is_some();
    for index in 0..pieces.len() {
        match Value::read(pieces.span(index).of(text)) {
            Ok(value) if is_object(&value) => return Content::Manifest,
            Ok(_) => {}
            Err(_) => is_broken = true,
        }
    }
    match (is_broken, text.contains("{{"), has_words) {
        (true, true, _) => Content::Template,
        // Broken JSON is no manifest: it is a dashboard, or settings with comments, which only their program reads.
        (true, false, true) if !is_json && has_key(text, "kind") && has_key(text, "apiVersion") => Content::Manifest,
        _ => Content::Other,
    }
}

/// Whether all documents of a text are Kubernetes objects or empty.
pub(super) fn is_stream(text: &str) -> bool {
    let pieces = split(text);
    let is_object_or_nothing = |value: &Value| is_object(value) || *value == Value::Null;
    let mut values = (0..pieces.len()).map(|index| Value::read(pieces.span(index).of(text)));
    let holds = |value: &Result<Value, _>| value.as_ref().is_ok_and(is_object_or_nothing);
    pieces.error.is_none() && text.contains("kind") && values.all(|value| holds(&value))
}

/// Whether a value has `kind` and `apiVersion`, as every Kubernetes object does, or `kind` and `items`.
fn is_object(value: &Value) -> bool {
    let is_text = |key| value.text_at(&[key]).is_some_and(|text| !text.is_empty());
    let has_items = || value.at(&["items"]).and_then(Value::as_list).is_some();
    is_text("kind") && (is_text("apiVersion") || has_items())
}

/// Whether a line begins with this key and a colon.
fn has_key(text: &str, key: &str) -> bool {
    text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
}
