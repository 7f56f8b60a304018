//! Plans JSON in a directory. Argo CD reads it there as JSON, but reads the output of a plugin as YAML.
//!
//! Most JSON means the same in both and is emitted unchanged. JSON that does not (an escaped surrogate pair, an escaped slash) is printed again as
//! one line. Limits of the latter: 128 levels, no half surrogate.

use goyaml::edit::EditKind;
use goyaml::json::{self, Form};
use goyaml::value::{self, Map};
use goyaml::{Node, SyntaxError, Tree, Value};
use serde::de::IgnoredAny;
use text::Span;

use super::document::{self, Planner, RootPlanner};
use super::found::Found;
use super::{Problem, Rewrite};

/// Plans a `.json` file, which must contain exactly one object.
pub(super) fn plan_file(
    planner: &Planner<'_>,
    span: Span,
    tree: &mut Tree,
    found: &mut Found,
) -> Result<(), SyntaxError> {
    only_one(span.of(planner.text()))?;
    plan(planner, span, tree, found)
}

/// Plans the piece `span` of a manifest, which is one JSON value.
pub(super) fn plan(planner: &Planner<'_>, span: Span, tree: &mut Tree, found: &mut Found) -> Result<(), SyntaxError> {
    let text = span.of(planner.text());
    let root = match document::read(tree, text) {
        Err(error) if error.is_limit => return Err(error.shifted(span.start)),
        read => read.ok().flatten(),
    };
    if let Some(root) = root.filter(|_| is_plain(text)) {
        return take(planner, span, root, found);
    }
    let object = match serde_json::from_str(text) {
        Ok(found) => convert(found),
        Err(error) => {
            let error = not_json(text, &error).shifted(span.start);
            found.problems.push(Problem::syntax(&planner.request.manifests[planner.manifest], &error));
            return Ok(());
        }
    };
    if let Some(root) = root.filter(|root| root.value().as_ref() == Ok(&object)) {
        return take(planner, span, root, found);
    }
    let line = format!("{}{}", json::print(&object, Form::Stream), if text.ends_with('\n') { "\n" } else { "" });
    // An error in the printed line gets the place of the original text.
    let read = document::read(tree, &line).map_err(|error| error.moved_to(span.start))?;
    let Some(root) = read else { return Ok(()) };
    let before = found.rewrites.len();
    take(planner, span, root, found)?;
    if found.rewrites.len() == before {
        found.rewrites.push(Rewrite { place: (planner.manifest, span), text: line.clone(), kind: EditKind::Reemitted });
    }
    Ok(())
}

fn take(planner: &Planner<'_>, span: Span, root: Node<'_>, found: &mut Found) -> Result<(), SyntaxError> {
    found.objects += 1;
    RootPlanner { planner, root, span }.plan_jobs(found).map_err(|error| error.shifted(span.start))
}

/// Whether JSON text means the same as YAML, provided that it is valid YAML: it has no escapes and no U+0085, which only YAML takes for a line break.
fn is_plain(text: &str) -> bool {
    !text.contains(['\\', '\u{85}'])
}

/// Refuses a file that contains anything but one JSON value.
fn only_one(text: &str) -> Result<(), SyntaxError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {}
        Some(Err(error)) => {
            // Reading the value gives a better error message than skipping it.
            let error = serde_json::from_str::<serde_json::Value>(text).err().unwrap_or(error);
            return Err(not_json(text, &error));
        }
        None => {
            return Err(SyntaxError::new(0, "the file is empty, expected a JSON object"));
        }
    }
    let rest = text[values.byte_offset()..].trim_start();
    if rest.is_empty() {
        return Ok(());
    }
    let message = "more than one object in a `.json` file: Argo CD allows only one";
    Err(SyntaxError::new(text.len() - rest.len(), message)
        .with_help("put each object into a file of its own, or rename the file to `.yaml`"))
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
