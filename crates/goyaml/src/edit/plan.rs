//! Finds the maps and lists that change, and plans the edits of each.

use std::collections::BTreeMap;

use text::Edits;

use super::super::change::{Change, Changes};
use super::super::node::{Document, Node};
use super::super::parser::Layout;
use super::super::path::Step;
use super::super::resolve::Scalar;
use super::super::tree::Kind;
use super::super::value::Value;
use super::entry::{Entry, NewValue};
use super::map_changes::{Fill, MapChanges, Original, Pair, Rename};
use super::{block, flow, lines, list};

/// The maps of one object that change, by their positions in the text.
type Maps<'t> = BTreeMap<Node<'t>, MapChanges<'t>>;

/// The edits that make the changes. None if they cannot be made in place.
pub(super) fn plan(document: Document<'_>, changes: &(impl Changes + ?Sized)) -> Option<Edits> {
    let original = Original { text: document.text(), eol: lines::line_break(document.text()) };
    let root = document.root()?;
    let mut edits = Edits::default();
    for (item, object) in super::objects(root) {
        // One object at a time: the notes about a map take more memory than its edits, and a document can have thousands of objects.
        let mut maps = Maps::new();
        for change in changes.of(item, object).iter() {
            collect(object, change, &mut maps)?;
        }
        for (map, changes) in &maps {
            match map.kind() {
                Kind::Mapping(Layout::Block) => block::plan(original, *map, changes, &mut edits)?,
                Kind::Mapping(Layout::Flow) => flow::plan(original, *map, changes, &mut edits)?,
                Kind::Sequence(layout) => list::replace_all(original, layout, &changes.replaces, &mut edits)?,
                _ => return None,
            }
        }
    }
    Some(edits)
}

/// Finds the map that a change belongs to, and notes the change there. None if the map cannot be edited in place.
fn collect<'t>(object: Node<'t>, change: &Change, maps: &mut Maps<'t>) -> Option<()> {
    let (parents, last) = change.split()?;
    let removes = matches!(change, Change::Remove { .. });
    let mut map = object;
    let mut map_key = None;
    for (depth, parent) in parents.iter().enumerate() {
        let rest = &parents[depth + 1..];
        let Some((key, value)) = only_entry(map, parent)? else {
            let into = maps.entry(map).or_default();
            into.key = map_key;
            return if removes { Some(()) } else { insert_map(into, parent, rest, change) };
        };
        if value.is_scalar() && value.resolve() == Ok(Scalar::Null) {
            let into = maps.entry(map).or_default();
            into.key = map_key;
            return if removes { Some(()) } else { fill_map(into, key, value, rest, change) };
        }
        (map, map_key) = (value, Some(key));
    }
    let found = only_entry(map, last)?;
    let into = maps.entry(map).or_default();
    into.key = map_key;
    note(into, change, last, found)
}

/// Notes a change of the entry `found`. With None the entry does not exist yet.
fn note<'t>(into: &mut MapChanges<'t>, change: &Change, step: &Step, found: Option<Pair<'t>>) -> Option<()> {
    match (change, found) {
        (Change::Remove { .. }, None) => {}
        (Change::Remove { .. }, Some((key, _))) => into.removes.push(key),
        (Change::Rename { .. }, None) => return None,
        (Change::Rename { to, value, .. }, Some((key, old))) => {
            into.renames.push(Rename { key, old, to: to.clone(), value: value.clone() });
        }
        (Change::Set { value, .. }, None) => into.inserts.push(Entry::one(step, value)?),
        (Change::Set { value, .. }, Some((key, old))) => {
            if old.is_scalar() && !matches!(value, Value::List(_) | Value::Map(_)) {
                into.replaces.push((old, value.clone()));
            } else if let Some(dropped) = dropped_items(old, value) {
                into.drops.push((old, dropped));
            } else {
                into.removes.push(key);
                into.inserts.push(Entry::one(step, value)?);
            }
        }
    }
    Some(())
}

/// The items of a list of texts that `new` lacks. None if `new` is not the same list with some items removed.
fn dropped_items<'t>(list: Node<'t>, new: &Value) -> Option<Vec<Node<'t>>> {
    let mut new = new.as_list().filter(|new| !new.is_empty() && list.is_list())?.iter().peekable();
    let is_next = |item: &Node<'_>| new.next_if(|value| value.as_text() == item.target().as_text()).is_none();
    let dropped = list.children().filter(is_next).collect();
    new.peek().is_none().then_some(dropped)
}

/// The entry of a map or the item of a list that a step leads to. None if it cannot be edited in place, because the map is an alias, has a merge key
/// or has the key twice, or because the step does not fit.
#[expect(
    clippy::option_option,
    reason = "the outer one says whether the map can be edited, the inner one whether it has the key"
)]
fn only_entry<'t>(map: Node<'t>, step: &Step) -> Option<Option<Pair<'t>>> {
    let name = match step {
        Step::Item(index) => return map.items().nth(*index).map(|item| Some((item, item))),
        Step::Key(name) => name,
    };
    if !map.is_map() {
        return None;
    }
    let mut found = None;
    for (key, value) in map.entries() {
        if key.is_merge() || key.kind() == Kind::Alias {
            return None;
        }
        if key.is_key(name) && found.replace((key, value)).is_some() {
            return None;
        }
    }
    Some(found)
}

/// Notes a new map under the key `step`, or adds an entry to the new map that is already noted there.
fn insert_map(into: &mut MapChanges<'_>, step: &Step, rest: &[Step], change: &Change) -> Option<()> {
    let Step::Key(name) = step else { return None };
    let entry = entry_of(rest, change)?;
    for known in &mut into.inserts {
        if known.key == *name
            && let NewValue::Map(entries) = &mut known.value
        {
            entries.push(entry);
            return Some(());
        }
    }
    into.inserts.push(Entry { key: name.to_string(), value: NewValue::Map(vec![entry]) });
    Some(())
}

fn fill_map<'t>(
    into: &mut MapChanges<'t>,
    key: Node<'t>,
    null: Node<'t>,
    rest: &[Step],
    change: &Change,
) -> Option<()> {
    let entry = entry_of(rest, change)?;
    match into.fills.iter_mut().find(|fill| fill.key == key) {
        Some(fill) => fill.entries.push(entry),
        None => into.fills.push(Fill { key, null, entries: vec![entry] }),
    }
    Some(())
}

/// The entry that a change adds to a new map. None if it needs a second new map inside: that is not edited in place.
fn entry_of(rest: &[Step], change: &Change) -> Option<Entry> {
    match change {
        Change::Set { value, .. } if rest.is_empty() => Entry::one(change.split()?.1, value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path;

    #[test]
    fn a_new_map_in_a_new_map_is_not_made_in_place() {
        let change = Change::set(path!["a", "b", "c"], Value::Int(1));
        assert_eq!(entry_of(&[], &change).unwrap().key, "c");
        assert!(entry_of(&["b".into()], &change).is_none());
    }
}
