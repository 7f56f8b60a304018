//! A `.json` file of a directory, which Argo CD reads as JSON there and as YAML in a plugin's output.
//!
//! Most files mean the same both ways and come out as they are. One that does not (an escaped surrogate pair, an escaped slash)
//! is printed anew as one line. Limit: not deeper than 128 levels.

use super::document::{self, Content, Document};
use super::{Part, Request, Rewrite};
use crate::text::Span;
use crate::yaml::edit::How;
use crate::yaml::json::{self, Form};
use crate::yaml::value::{self, Map};
use crate::yaml::{SyntaxError, Tree, Value, split};

/// Reads the `.json` file with the index `index` and plans what is in it.
pub(super) fn plan(request: &Request<'_>, index: usize, tree: &mut Tree, part: &mut Part) -> Result<(), SyntaxError> {
    let text = &request.manifests[index].text;
    let object = parse(text)?;
    part.objects += 1;
    let span = Span::new(0, text.len());
    if split::split(text).len() == 1 && means(tree, text, &object) {
        return Document { tree, text, manifest: index, span }.plan_jobs(request, part);
    }
    let line = format!("{}\n", json::print(&object, Form::Stream));
    document::read(tree, &line)?;
    let before = part.rewrites.len();
    Document { tree, text: &line, manifest: index, span }.plan_jobs(request, part)?;
    if part.rewrites.len() == before {
        part.rewrites.push(Rewrite { manifest: index, span, text: line, how: How::Reemitted });
    }
    Ok(())
}

/// True when the text read as YAML is `object`. Leaves the tree of the text behind.
fn means(tree: &mut Tree, text: &str, object: &Value) -> bool {
    matches!(document::read(tree, text), Ok(Content::Object))
        && tree.root().is_some_and(|root| value::value(tree, root, text).as_ref() == Ok(object))
}

/// Exactly one object with a `kind`.
fn parse(text: &str) -> Result<Value, SyntaxError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let refused = |offset, message: &str| SyntaxError { offset, message: message.to_owned(), help: None };
    let found = match values.next() {
        Some(Ok(found)) => found,
        Some(Err(error)) => {
            let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or("not JSON");
            return Err(refused(offset, &format!("not JSON: {message}")));
        }
        None => return Err(refused(0, "the file is empty, expected a JSON object")),
    };
    let end = values.byte_offset();
    let rest = text[end..].trim_start();
    if !rest.is_empty() {
        let message = "more than one object in a `.json` file; Argo CD allows one".to_owned();
        let help = Some("put each object into a file of its own, or name the file `.yaml`");
        return Err(SyntaxError { offset: text.len() - rest.len(), message, help });
    }
    let value = convert(found);
    match value.text_at(&["kind"]) {
        Some(kind) if !kind.is_empty() => Ok(value),
        _ => Err(refused(0, "the object has no `kind`, or one that is no string")),
    }
}

/// Numbers become what Kubernetes makes of them: integers of 64 bits, floats otherwise.
fn convert(found: serde_json::Value) -> Value {
    match found {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(found) => Value::Bool(found),
        serde_json::Value::Number(found) => match found.as_i64() {
            Some(integer) => Value::Int(integer),
            None => value::number(found.as_f64().unwrap_or(0.0)),
        },
        serde_json::Value::String(found) => Value::String(found),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(convert).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, convert(value))).collect::<Map>())
        }
    }
}
