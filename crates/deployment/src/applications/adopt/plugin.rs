//! The block `plugin` of a source: its parameters, how it is written in the place of another block, and what a written one says.

use goyaml::edit::{content_end, in_place, indentation, line_break, line_end, line_start};
use goyaml::json::{self, Form};
use goyaml::value::Map;
use goyaml::{Change, Document, Kind, Layout, Node, Path, Target, Value};
use rewrite::settings::Hashes;
use text::Span;

use super::super::source::PLUGIN;
use super::NotAdopted;

/// One parameter of the plugin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    name: String,
    value: Given,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    /// A text.
    Text(String),
    /// A block of the source: its YAML, and what that says.
    Block(String, Value),
    /// A map of texts.
    Map(Hashes),
}

/// The parameters with the meaning of a block of the source, and the baseline.
pub(super) fn parameters(
    document: Document<'_>,
    block: Option<(&str, Node<'_>)>,
    baseline: &Hashes,
) -> Result<Vec<Parameter>, NotAdopted> {
    let mut parameters = Vec::new();
    if let Some((name, node)) = block {
        let value = node.value().map_err(|_| NotAdopted::ByHand)?;
        let fields = value.as_map().cloned().unwrap_or_default();
        match name {
            "directory" => parameters.extend(of_directory(&fields)?),
            _ if fields.is_empty() => {}
            _ => {
                let text = dedented(document.text(), node).unwrap_or_else(|| json::print(&value, Form::Stream));
                parameters.push(Parameter { name: name.to_owned(), value: Given::Block(text, value) });
            }
        }
    }
    if !baseline.is_empty() {
        parameters.push(Parameter { name: "baseline".to_owned(), value: Given::Map(baseline.clone()) });
    }
    Ok(parameters)
}

/// `recurse`, `include` and `exclude`. The plugin does not run Jsonnet.
fn of_directory(fields: &Map) -> Result<Vec<Parameter>, NotAdopted> {
    let is_empty = |value: &Value| match value {
        Value::Map(map) => map.iter().all(|(_, value)| matches!(value, Value::List(items) if items.is_empty())),
        Value::Null => true,
        _ => false,
    };
    if fields.get("jsonnet").is_some_and(|options| !is_empty(options)) {
        return Err(NotAdopted::Jsonnet);
    }
    let mut parameters = Vec::new();
    for name in ["recurse", "include", "exclude"] {
        let text = match fields.get(name) {
            Some(Value::Bool(true)) => "true",
            Some(Value::String(text)) if !text.is_empty() => text,
            _ => continue,
        };
        parameters.push(Parameter { name: name.to_owned(), value: Given::Text(text.to_owned()) });
    }
    Ok(parameters)
}

/// The text of the document with the plugin in its source, in the place of `block`. None if it cannot be changed in place.
pub(super) fn written(
    document: Document<'_>,
    item: Option<usize>,
    source: Node<'_>,
    path: &Path,
    block: Option<&str>,
    parameters: &[Parameter],
) -> Option<String> {
    let text = document.text();
    if source.kind() == Kind::Mapping(Layout::Flow) {
        let set = Change::set(path.with("plugin"), value(parameters));
        let changes = [set].into_iter().chain(block.map(|block| Change::remove(path.with(block)))).collect();
        return Some(in_place(document, [Target { item, changes }].as_slice())?.apply(text));
    }
    let old = source.entries().find(|(key, _)| block.is_some_and(|block| key.is_key(block)));
    let (span, column) = match (old, block) {
        (Some((key, node)), _) => (Span::new(key.span().start, end(text, node)), indentation(text, key.span().start)?),
        (None, Some(_)) => return None,
        (None, None) => {
            let is_simple =
                |(_, value): &(Node<'_>, Node<'_>)| value.is_scalar() && !value.span().of(text).contains('\n');
            let (key, node) = source.entries().filter(is_simple).last()?;
            let at = line_end(text, node.span().end);
            (Span::new(at, at), indentation(text, key.span().start)?)
        }
    };
    let lines = lines(parameters).join(&format!("\n{:column$}", ""));
    let before = if old.is_none() { format!("\n{:column$}", "") } else { String::new() };
    // Lines of a block scalar that are empty have no indentation.
    let new = (before + &lines).lines().map(str::trim_end).collect::<Vec<_>>().join(line_break(text));
    Some(format!("{}{new}{}", &text[..span.start], &text[span.end..]))
}

/// Where the last scalar or bracket of a node ends, without the line breaks after it.
fn end(text: &str, node: Node<'_>) -> usize {
    let end = text[..content_end(node)].trim_end_matches(['\n', '\r', ' ']).len().max(node.span().start);
    // A comment behind the value goes with it.
    let rest = &text[end..line_end(text, end)];
    if rest.trim_start().starts_with('#') { end + rest.len() } else { end }
}

/// The text of a node as a document of its own.
fn dedented(text: &str, node: Node<'_>) -> Option<String> {
    let start = node.span().start;
    let line = line_start(text, start);
    let column = start - line;
    // Comments between the key and the value.
    let above = text[..line].split_inclusive('\n').rev().take_while(|line| line.trim_start().starts_with('#'));
    let above: usize = above.map(str::len).sum();
    let is_below = text[line..start].bytes().all(|byte| byte == b' ');
    let start = if is_below { line - above } else { start };
    let dedented = |line: &'_ str| line.bytes().take(column).take_while(|byte| *byte == b' ').count();
    let lines = text[start..end(text, node)].lines().enumerate();
    let out: Vec<&str> =
        lines.map(|(index, line)| if index == 0 && !is_below { line } else { &line[dedented(line)..] }).collect();
    Some(out.join("\n"))
}

/// The block as lines, indented from its own column on.
fn lines(parameters: &[Parameter]) -> Vec<String> {
    let mut out = vec!["plugin:".to_owned(), format!("  name: {PLUGIN}")];
    if !parameters.is_empty() {
        out.push("  parameters:".to_owned());
    }
    for Parameter { name, value } in parameters {
        out.push(format!("  - name: {name}"));
        match value {
            Given::Text(text) => out.push(format!("    string: {}", json::quote(text))),
            Given::Block(text, _) => {
                out.push("    string: |".to_owned());
                out.extend(text.lines().map(|line| format!("      {line}")));
            }
            Given::Map(map) => {
                out.push("    map:".to_owned());
                out.extend(
                    map.iter().map(|(key, value)| format!("      {}: {}", json::quote(key), json::quote(value))),
                );
            }
        }
    }
    out
}

/// The block as a value.
fn value(parameters: &[Parameter]) -> Value {
    let text = |text: &str| Value::String(text.into());
    let map = |entries: Vec<(&str, Value)>| {
        Value::Map(Map::from_iter(entries.into_iter().map(|(key, value)| (key.to_owned(), value))))
    };
    let parameter = |Parameter { name, value }: &Parameter| {
        let given = match value {
            Given::Text(found) | Given::Block(found, _) => ("string", text(found)),
            Given::Map(found) => ("map", map(found.iter().map(|(key, value)| (key.as_str(), text(value))).collect())),
        };
        map(vec![("name", text(name)), given])
    };
    let list = parameters.iter().map(parameter).collect();
    let mut entries = vec![("name", text(PLUGIN))];
    if !parameters.is_empty() {
        entries.push(("parameters", Value::List(list)));
    }
    map(entries)
}

/// Whether a written block says what the parameters say.
pub(super) fn says(written: &Value, parameters: &[Parameter]) -> bool {
    let list = written.items_at(&["parameters"]);
    let says = |(written, Parameter { name, value }): (&Value, &Parameter)| {
        let is_so = match value {
            Given::Text(text) => written.text_at(&["string"]) == Some(text),
            Given::Block(_, block) => {
                let read = written.text_at(&["string"]).and_then(|text| Value::read(text).ok());
                read.as_ref() == Some(block)
            }
            Given::Map(map) => {
                let read = written.at(&["map"]).and_then(Value::as_map);
                read.is_some_and(|read| {
                    read.iter()
                        .map(|(key, value)| (key.as_str(), value.as_text()))
                        .eq(map.iter().map(|(key, value)| (key.as_str(), Some(value.as_str()))))
                })
            }
        };
        is_so && written.text_at(&["name"]) == Some(name)
    };
    written.text_at(&["name"]) == Some(PLUGIN)
        && list.len() == parameters.len()
        && list.iter().zip(parameters).all(says)
}
