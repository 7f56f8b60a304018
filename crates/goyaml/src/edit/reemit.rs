//! Prints a changed document as one line of JSON.

use super::super::change::{Change, Changes};
use super::super::json::{self, Form};
use super::super::node::{Document, Node};
use super::super::value::{Map, Value};
use super::super::{SyntaxError, split};
use super::lines;

/// The document as one line of JSON, with the changes applied. Keeps the separator before it. Fails only if the document cannot be read.
pub(super) fn reemit(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Result<String, SyntaxError> {
    let text = document.text();
    let Some(root) = document.root() else { return Ok(text.to_owned()) };
    let mut out = String::new();
    if split::is_separator(text) {
        out.push_str(separator(text));
    }
    match around_items(root, changes)? {
        Some(around) => item_by_item(root, &around, changes, &mut out)?,
        None => json::write(&whole(root, changes)?, Form::Stream, &mut out),
    }
    // What follows has to begin on a line of its own, as before.
    out.extend(["\r\n", "\n", "\r"].into_iter().find(|end| text.ends_with(end)));
    Ok(out)
}

/// The line of a text that begins with a separator. Its `\n` belongs to it, also after more than one `\r`: for Argo CD
/// only `\n` ends a line.
fn separator(text: &str) -> &str {
    let line = text.split_inclusive('\n').next().unwrap_or(text);
    let is_alone = line.ends_with('\n') && line.trim_end() == "---";
    if is_alone { line } else { &text[..lines::after_line(text, 0)] }
}

/// The value of an object with its changes applied.
pub(super) fn changed(
    object: Node<'_>,
    item: Option<usize>,
    changes: &(impl Changes + ?Sized),
) -> Result<Value, SyntaxError> {
    let mut value = object.value()?;
    Change::apply_all(&changes.of(item, object), &mut value);
    Ok(value)
}

/// The value of a document with all changes applied.
fn whole(root: Node<'_>, changes: &(impl Changes + ?Sized)) -> Result<Value, SyntaxError> {
    let mut value = changed(root, None, changes)?;
    if let Value::Map(map) = &mut value
        && let Some(Value::List(items)) = map.get_mut("items")
    {
        for (index, (item, value)) in super::items(root).zip(items).enumerate() {
            Change::apply_all(&changes.of(Some(index), item), value);
        }
    }
    Ok(value)
}

/// A list of objects with `items` set to null. None if the document must be printed as a whole: it is not such a list, has changes outside its items,
/// or has aliases or merge keys, which read a value at another place than where it is written.
fn around_items(root: Node<'_>, changes: &(impl Changes + ?Sized)) -> Result<Option<Map>, SyntaxError> {
    let is_list = root.get("items").is_some_and(Node::is_list);
    if !is_list || root.document().has_references() || !changes.of(None, root).is_empty() {
        return Ok(None);
    }
    let mut around = root.map_without("items")?;
    // A second key can mean `items` too, in another spelling (`!!binary`).
    let is_only = around.insert("items".into(), Value::Null).is_none();
    Ok(is_only.then_some(around))
}

/// Prints a list of objects item by item: all values at once would need many times the memory of the text.
fn item_by_item(
    root: Node<'_>,
    around: &Map,
    changes: &(impl Changes + ?Sized),
    out: &mut String,
) -> Result<(), SyntaxError> {
    for (index, (key, value)) in around.iter().enumerate() {
        out.push(if index == 0 { '{' } else { ',' });
        json::write(&Value::String(key.clone()), Form::Stream, out);
        out.push(':');
        if key != "items" {
            json::write(value, Form::Stream, out);
            continue;
        }
        for (index, item) in super::items(root).enumerate() {
            out.push(if index == 0 { '[' } else { ',' });
            json::write(&changed(item, Some(index), changes)?, Form::Stream, out);
        }
        out.push_str(if super::items(root).next().is_none() { "[]" } else { "]" });
    }
    out.push('}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::change::Target;
    use super::super::super::tree::Tree;
    use super::*;
    use crate::path;

    fn printed(text: &str) -> String {
        let mut tree = Tree::default();
        let target = |item| Target { item, changes: vec![Change::set(path!["x"], Value::Int(1))] };
        let targets = if text.contains("items") { vec![target(Some(1))] } else { vec![target(None)] };
        reemit(tree.read(text).unwrap(), targets.as_slice()).unwrap()
    }

    #[test]
    fn only_a_list_without_references_is_printed_item_by_item() {
        let of_item = [Target { item: Some(0), changes: vec![Change::set(path!["x"], Value::Int(1))] }];
        let of_root = [Target { item: None, changes: vec![Change::set(path!["x"], Value::Int(1))] }];
        for (text, changes, is_so) in [
            ("a: 1\nitems: [{}]", &of_item, true),
            ("a: 1\nitems: [{}]", &of_root, false),
            ("a: &a {}\nitems: [*a]", &of_item, false),
            ("a: 1\nitems: {b: 1}", &of_item, false),
        ] {
            let mut tree = Tree::default();
            let root = tree.read(text).unwrap().root().unwrap();
            assert_eq!(around_items(root, changes.as_slice()).unwrap().is_some(), is_so, "{text}");
        }
    }

    #[test]
    fn a_list_is_printed_item_by_item_as_a_whole_is() {
        for (text, expected) in [
            ("b: 1\nitems: [{}, {z: 2}, c]\na: 'q'", "{\"a\":\"q\",\"b\":1,\"items\":[{},{\"x\":1,\"z\":2},\"c\"]}"),
            ("items: []\n", "{\"items\":[]}\n"),
            (
                "---\r\nz: {\"1\": ~}\r\nitems: [{}, {x: 2}]\r\n",
                "---\r\n{\"items\":[{},{\"x\":1}],\"z\":{\"1\":null}}\r\n",
            ),
            // Argo CD reads this separator, and libyaml reads two line breaks after it.
            ("---\r\r\na: 1\r\r\n", "---\r\r\n{\"a\":1,\"x\":1}\r\n"),
            ("---\ra: 1\r", "---\r{\"a\":1,\"x\":1}\r"),
            ("---\ra: 1\n", "---\r{\"a\":1,\"x\":1}\n"),
            // Of equal keys the last one counts.
            ("items: 1\na: 1\na: 2\nitems: [{}, {}]", "{\"a\":2,\"items\":[{},{\"x\":1}]}"),
            // These are printed as a whole.
            ("a: &a {b: 1}\nitems: [*a, *a]", "{\"a\":{\"b\":1},\"items\":[{\"b\":1},{\"b\":1,\"x\":1}]}"),
            ("<<: {items: [{}, {}], c: 1}", "{\"c\":1,\"items\":[{},{\"x\":1}]}"),
            ("a: 1\n", "{\"a\":1,\"x\":1}\n"),
        ] {
            assert_eq!(printed(text), expected, "{text}");
        }
    }
}
