//! Compares two values field by field.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::shared::Text;
use goyaml::value::Map;
use goyaml::{Path, Step, Value};

use super::difference::Difference;

/// All differences between two values. Items are in the order of the new list, keys in the order of their bytes. A null entry of a map counts as
/// absent. If every item of both lists is a map with its own `name`, items are compared by name, otherwise by index.
pub fn differences(old: &Value, new: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&At::default(), Some(old), Some(new), &mut found);
    found
}

/// The position of the comparison.
#[derive(Clone, Debug, Default)]
struct At {
    path: Path,
    /// The named items on the path, as in [`Difference::items`].
    items: Vec<(usize, String)>,
}

impl At {
    fn with(&self, step: impl Into<Step>) -> Self {
        Self { path: self.path.with(step), items: self.items.clone() }
    }

    /// The position of an item that has a name.
    fn item(&self, index: usize, name: &Value) -> Self {
        let mut at = self.with(index);
        at.items.extend(name.as_text().map(|name| (self.path.steps().len(), name.to_owned())));
        at
    }

    fn difference(&self, old: Option<Value>, new: Option<Value>) -> Difference {
        Difference { path: self.path.clone(), items: self.items.clone(), old, new }
    }
}

fn compare(at: &At, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Difference>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Some(Value::Map(old)), Some(Value::Map(new))) => compare_maps(at, old, new, found),
        (Some(Value::List(old)), Some(Value::List(new))) => compare_lists(at, old, new, found),
        (old, new) => found.push(at.difference(old.cloned(), new.cloned())),
    }
}

fn compare_maps<'m>(at: &At, old: &'m Map, new: &'m Map, found: &mut Vec<Difference>) {
    let keys: BTreeSet<&str> = old.keys().chain(new.keys()).map(Text::as_str).collect();
    for key in keys {
        let entry = |map: &'m Map| map.get(key).filter(|value| **value != Value::Null);
        compare(&at.with(key), entry(old), entry(new), found);
    }
}

fn compare_lists(at: &At, old: &[Value], new: &[Value], found: &mut Vec<Difference>) {
    let (Some(old_names), Some(new_names)) = (Names::of(old, "name"), Names::of(new, "name")) else {
        for index in 0..old.len().max(new.len()) {
            compare(&at.with(index), old.get(index), new.get(index), found);
        }
        return;
    };
    for (index, name) in old_names.in_order.iter().enumerate().filter(|(_, name)| new_names.find(name).is_none()) {
        debug_assert!(name.as_text().is_some());
        compare(&at.item(index, name), old.get(index), None, found);
    }
    for (index, name) in new_names.in_order.iter().enumerate() {
        let before = old_names.find(name).and_then(|at| old.get(at));
        compare(&at.item(index, name), before, new.get(index), found);
    }
    let shared = |names: &Names<'_>, other: &Names<'_>| {
        let shared = names.in_order.iter().filter(|name| other.find(name).is_some());
        Value::List(shared.map(|name| (*name).clone()).collect())
    };
    let orders = (shared(&old_names, &new_names), shared(&new_names, &old_names));
    if orders.0 != orders.1 {
        found.push(at.difference(Some(orders.0), Some(orders.1)));
    }
}

/// The names of the items of a list, by which the items are matched.
pub(super) struct Names<'v> {
    in_order: Vec<&'v Value>,
    indices: BTreeMap<Name<'v>, usize>,
}

/// A name that can be used as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'v> {
    Text(&'v str),
    Number(i64),
}

impl<'v> Name<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text)),
            Value::Int(number) => Some(Self::Number(*number)),
            _ => None,
        }
    }
}

impl<'v> Names<'v> {
    /// The values of `key` in all items. None unless every item is a map and all values are different texts or whole numbers.
    pub(super) fn of(items: &'v [Value], key: &str) -> Option<Self> {
        let in_order: Vec<&Value> = items.iter().map(|item| item.at(&[key])).collect::<Option<_>>()?;
        let mut indices = BTreeMap::new();
        for (index, name) in in_order.iter().enumerate() {
            if indices.insert(Name::of(name)?, index).is_some() {
                return None;
            }
        }
        Some(Self { in_order, indices })
    }

    /// The index of the item with the name `name`.
    pub(super) fn find(&self, name: &Value) -> Option<usize> {
        self.indices.get(&Name::of(name)?).copied()
    }
}
