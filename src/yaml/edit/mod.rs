//! Changes → a new text in which nothing else is different.
//!
//! Edits are planned against the original text and done at once, in the style that stands there: comments, quotes, order and
//! line ends stay. Then the new text is read again and compared with what was asked for. Where a shape cannot be edited so
//! (aliases and merge keys in the way, duplicate keys, no `metadata`), the one document is printed anew as a line of
//! JSON with the values that Argo CD reads. Limits: comments of such a document are lost.

mod block;
mod flow;
mod lines;
mod scalar;

use std::collections::BTreeMap;

use super::change::Change;
use super::parser::Layout;
use super::resolve::Scalar;
use super::tree::{Kind, NodeId, Tree};
use super::value::{self, Value};
use super::{SyntaxError, json, split, verify};
use crate::text::Edits;

/// What is to change in one object of a document.
#[derive(Clone, Debug)]
pub struct Target {
    /// Which of the document's `items` the object is; None for the document itself.
    pub item: Option<usize>,
    /// What is to change in it; never two changes of one key.
    pub changes: Vec<Change>,
}

/// How the new text came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By edits of the original.
    InPlace,
    /// Printed anew as JSON.
    Reemitted,
}

/// Does the changes to the document `text`, which `tree` was read from. The error can only be one of reading the document.
pub fn rewrite(tree: &Tree, text: &str, targets: &[Target]) -> Result<(String, How), SyntaxError> {
    let original = Original { tree, text, eol: lines::line_break(text) };
    let edited = plan(&original, targets).map(|edits| edits.apply(text));
    if let Some(edited) = edited.filter(|edited| verify::holds(tree, text, edited, targets)) {
        return Ok((edited, How::InPlace));
    }
    reemit(tree, text, targets).map(|text| (text, How::Reemitted))
}

/// The document as one line of JSON, with the changes done. A separator that opens it stays.
pub fn reemit(tree: &Tree, text: &str, targets: &[Target]) -> Result<String, SyntaxError> {
    let Some(root) = tree.root() else { return Ok(text.to_owned()) };
    let mut object = value::value(tree, root, text)?;
    for target in targets {
        let changed = match (target.item, &mut object) {
            (None, object) => Some(object),
            (Some(index), Value::Map(map)) => match map.get_mut("items") {
                Some(Value::List(items)) => items.get_mut(index),
                _ => None,
            },
            _ => None,
        };
        if let Some(changed) = changed {
            target.changes.iter().for_each(|change| change.apply(changed));
        }
    }
    let eol = lines::line_break(text);
    let opening = if split::is_separator(text) { &text[..lines::after_line(text, 0)] } else { "" };
    let closing = if text.ends_with(['\n', '\r']) { eol } else { "" };
    Ok(format!("{opening}{}{closing}", json::print(&object, json::Form::Stream)))
}

/// The document that is being edited.
struct Original<'t> {
    tree: &'t Tree,
    text: &'t str,
    /// Its line break.
    eol: &'static str,
}

/// All that happens to one map.
#[derive(Default)]
struct MapChanges {
    /// The key whose value the map is, when it has one.
    key: Option<NodeId>,
    inserts: Vec<Entry>,
    removes: Vec<NodeId>,
    /// Items of lists in this map that go; some item stays.
    drops: Vec<(NodeId, Vec<NodeId>)>,
    replaces: Vec<(NodeId, Value)>,
    renames: Vec<(NodeId, NodeId, String, Value)>,
    /// A key without a value, to be filled with a map.
    fills: Vec<(NodeId, NodeId, Vec<Entry>)>,
}

/// A new entry of a map.
struct Entry {
    key: String,
    value: NewValue,
}

enum NewValue {
    One(Value),
    Map(Vec<Entry>),
}

fn plan(original: &Original<'_>, targets: &[Target]) -> Option<Edits> {
    let Original { tree, text, .. } = *original;
    let root = tree.root()?;
    let items: Vec<NodeId> =
        tree.get(root, "items", text).map(|list| tree.children(list).collect()).unwrap_or_default();
    let mut maps: BTreeMap<NodeId, MapChanges> = BTreeMap::new();
    for target in targets {
        let object = target.item.map_or(Some(root), |index| items.get(index).copied())?;
        for change in &target.changes {
            collect(original, object, change, &mut maps)?;
        }
    }
    let mut edits = Edits::default();
    for (map, changes) in &maps {
        match tree.kind(*map) {
            Kind::Mapping(Layout::Block) => block::plan(original, *map, changes, &mut edits)?,
            Kind::Mapping(Layout::Flow) => flow::plan(original, *map, changes, &mut edits)?,
            Kind::Sequence(Layout::Block) => block::replace_all(original, &changes.replaces, &mut edits)?,
            Kind::Sequence(Layout::Flow) => flow::replace_all(original, &changes.replaces, &mut edits)?,
            _ => return None,
        }
    }
    Some(edits)
}

/// Finds the map that a change is about and notes there what is to happen; None when the map cannot be edited in place.
fn collect(
    original: &Original<'_>,
    object: NodeId,
    change: &Change,
    maps: &mut BTreeMap<NodeId, MapChanges>,
) -> Option<()> {
    let Original { tree, text, .. } = *original;
    let (parents, name) = change.split();
    let mut map = object;
    let mut map_key = None;
    for (depth, parent) in parents.iter().enumerate() {
        let found = only_entry(original, map, parent)?;
        let removes = matches!(change, Change::Remove { .. });
        let Some((key, value)) = found else {
            let rest = &parents[depth + 1..];
            let into = maps.entry(map).or_default();
            into.key = map_key;
            return if removes { Some(()) } else { insert_map(into, parent, rest, change) };
        };
        if let Ok(Scalar::Null) = tree.resolve(value, text)
            && matches!(tree.kind(value), Kind::Scalar(_))
        {
            let rest = &parents[depth + 1..];
            let into = maps.entry(map).or_default();
            into.key = map_key;
            return if removes { Some(()) } else { fill_map(into, key, value, rest, change) };
        }
        (map, map_key) = (value, Some(key));
    }
    let found = only_entry(original, map, name)?;
    let into = maps.entry(map).or_default();
    into.key = map_key;
    match (change, found) {
        (Change::Remove { .. }, None) => {}
        (Change::Remove { .. }, Some((key, _))) => into.removes.push(key),
        (Change::Rename { .. }, None) => return None,
        (Change::Rename { to, value, .. }, Some((key, old))) => {
            into.renames.push((key, old, to.clone(), value.clone()))
        }
        (Change::Set { value, .. }, None) => {
            into.inserts.push(Entry { key: name.to_owned(), value: NewValue::One(value.clone()) })
        }
        (Change::Set { value, .. }, Some((key, old))) => {
            let kind = tree.kind(old);
            if matches!(kind, Kind::Scalar(_)) && !matches!(value, Value::List(_) | Value::Map(_)) {
                into.replaces.push((old, value.clone()));
            } else if matches!(kind, Kind::Sequence(_))
                && let Some(dropped) = dropped_items(original, old, value)
            {
                into.drops.push((old, dropped));
            } else {
                into.removes.push(key);
                into.inserts.push(Entry { key: name.to_owned(), value: NewValue::One(value.clone()) });
            }
        }
    }
    Some(())
}

/// The items of a list of texts that the new list lacks, when it has all others in their order.
fn dropped_items(original: &Original<'_>, list: NodeId, new: &Value) -> Option<Vec<NodeId>> {
    let Original { tree, text, .. } = *original;
    let mut new = new.as_list().filter(|new| !new.is_empty())?.iter().peekable();
    let is_next = |item: &NodeId| new.next_if(|value| value.as_text() == tree.text_at(*item, &[], text)).is_none();
    let dropped = tree.children(list).filter(is_next).collect();
    new.peek().is_none().then_some(dropped)
}

/// The entry of a plain map with this key, or the item of a list with this index. None when the map is no plain map: an alias, merged into, or the key stands twice.
#[expect(
    clippy::option_option,
    reason = "the outer one says whether the map can be edited, the inner one whether it has the key"
)]
fn only_entry(original: &Original<'_>, map: NodeId, name: &str) -> Option<Option<(NodeId, NodeId)>> {
    let Original { tree, text, .. } = *original;
    if let Kind::Sequence(_) = tree.kind(map) {
        let item = tree.children(map).nth(name.parse().ok()?)?;
        return Some(Some((item, item)));
    }
    if !matches!(tree.kind(map), Kind::Mapping(_)) {
        return None;
    }
    let mut found = None;
    for (key, value) in tree.entries(map) {
        if tree.is_merge(key, text) || tree.kind(key) == Kind::Alias {
            return None;
        }
        if tree.is_key(key, name, text) && found.replace((key, value)).is_some() {
            return None;
        }
    }
    Some(found)
}

/// True for the entry that new ones of `metadata` follow.
fn is_name(original: &Original<'_>, (key, _): &(NodeId, NodeId)) -> bool {
    let Original { tree, text, .. } = *original;
    tree.is_key(*key, "name", text) || tree.is_key(*key, "generateName", text)
}

/// Notes a new map under `name`, or one more entry of the one that was noted.
fn insert_map(into: &mut MapChanges, name: &str, rest: &[String], change: &Change) -> Option<()> {
    let entry = entry_of(rest, change)?;
    for known in &mut into.inserts {
        if known.key == name
            && let NewValue::Map(entries) = &mut known.value
        {
            entries.push(entry);
            return Some(());
        }
    }
    into.inserts.push(Entry { key: name.to_owned(), value: NewValue::Map(vec![entry]) });
    Some(())
}

fn fill_map(into: &mut MapChanges, key: NodeId, null: NodeId, rest: &[String], change: &Change) -> Option<()> {
    let entry = entry_of(rest, change)?;
    match into.fills.iter_mut().find(|(known, _, _)| *known == key) {
        Some((_, _, entries)) => entries.push(entry),
        None => into.fills.push((key, null, vec![entry])),
    }
    Some(())
}

/// The entry that a change makes in a map that is new itself. More than one new map in another is not done in place.
fn entry_of(rest: &[String], change: &Change) -> Option<Entry> {
    match change {
        Change::Set { value, .. } if rest.is_empty() => {
            Some(Entry { key: change.split().1.to_owned(), value: NewValue::One(value.clone()) })
        }
        _ => None,
    }
}
