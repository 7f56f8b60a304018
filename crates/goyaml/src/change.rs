//! Changes of a value: the output of a strategy, and the goal of an edit of the text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::node::Node;
use super::path::{Path, Step};
use super::shared::Text;
use super::value::{Map, Value};

/// One change. Paths go from the object down and are never empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The value at the path becomes `value`. Missing or null maps on the path are created; missing items are not.
    Set {
        /// The entry or item that is set.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// The entry is removed. Its map stays, even if it is empty afterwards.
    Remove {
        /// The entry that is removed.
        path: Path,
    },
    /// The entry gets another key and value, at the place of the old entry.
    Rename {
        /// The entry with its old key.
        path: Path,
        /// The new key.
        to: String,
        /// The new value.
        value: Value,
    },
}

/// The changes of one object of a document.
#[derive(Clone, Debug)]
pub struct Target {
    /// The index of the object in the document's `items`. None for the document itself.
    pub item: Option<usize>,
    /// The changes. No two of them have the same path.
    pub changes: Vec<Change>,
}

/// The changes of a document, object by object, so that those of a long list are never all in memory at once.
pub trait Changes {
    /// The changes of one object: the same at every call, no two with the same path, and empty if the object stays as it is.
    /// `item` is the index in the document's `items`, or None for the document itself.
    fn of(&self, item: Option<usize>, object: Node<'_>) -> Cow<'_, [Change]>;
}

/// The targets are sorted by `item`, and each `item` occurs once.
impl Changes for [Target] {
    fn of(&self, item: Option<usize>, _: Node<'_>) -> Cow<'_, [Change]> {
        let found = self.binary_search_by_key(&item, |target| target.item);
        Cow::Borrowed(found.map_or(&[], |index| &self[index].changes))
    }
}

impl Change {
    /// Sets a value.
    pub fn set(path: Path, value: Value) -> Self {
        Self::Set { path, value }
    }

    /// Removes an entry.
    pub fn remove(path: Path) -> Self {
        Self::Remove { path }
    }

    /// Renames a key and sets its value.
    pub fn rename(path: Path, to: &str, value: Value) -> Self {
        Self::Rename { path, to: to.to_owned(), value }
    }

    /// Splits the path into the steps to the map or list that changes, and the last step inside it. None for an empty path.
    pub fn split(&self) -> Option<(&[Step], &Step)> {
        let (Self::Set { path, .. } | Self::Remove { path } | Self::Rename { path, .. }) = self;
        path.steps().split_last().map(|(last, parents)| (parents, last))
    }

    /// Applies changes to a value, one after another. Consecutive removals from one map are done in one pass.
    pub fn apply_all(changes: &[Self], object: &mut Value) {
        let mut rest = changes;
        while let [first, ..] = rest {
            let removed = |change: &&Self| match (change, change.split()) {
                (Self::Remove { .. }, Some((parents, Step::Key(key)))) => Some((parents.to_vec(), key.clone())),
                _ => None,
            };
            let parents = removed(&first).map(|(parents, _)| parents);
            let of_map = rest.iter().map_while(|change| removed(&change));
            let keys: Vec<Text> =
                of_map.take_while(|(of, _)| Some(of) == parents.as_ref()).map(|(_, key)| key).collect();
            match parents {
                Some(parents) if keys.len() > 1 => {
                    if let Some(Value::Map(map)) =
                        parents.iter().try_fold(&mut *object, |value, step| child(value, step))
                    {
                        let gone: BTreeSet<&Text> = keys.iter().collect();
                        map.retain(|key, _| !gone.contains(key));
                    }
                }
                _ => first.apply(object),
            }
            rest = &rest[keys.len().max(1)..];
        }
    }

    /// Applies the change to a value. Does nothing if the path does not fit the value, for example if a list has no such item.
    pub fn apply(&self, object: &mut Value) {
        let Some((parents, last)) = self.split() else { return };
        match self {
            Self::Set { value, .. } => {
                if let Some(place) = made(object, parents).and_then(|parent| entry(parent, last)) {
                    *place = value.clone();
                }
            }
            Self::Remove { .. } => {
                let parent = parents.iter().try_fold(object, |value, step| child(value, step));
                if let (Some(Value::Map(map)), Step::Key(key)) = (parent, last) {
                    map.remove(key);
                }
            }
            Self::Rename { to, value, .. } => {
                if let (Some(Value::Map(map)), Step::Key(key)) = (made(object, parents), last) {
                    map.remove(key);
                    map.insert(to.as_str().into(), value.clone());
                }
            }
        }
    }
}

fn child<'v>(value: &'v mut Value, step: &Step) -> Option<&'v mut Value> {
    match (value, step) {
        (Value::Map(map), Step::Key(key)) => map.get_mut(key),
        (Value::List(items), Step::Item(index)) => items.get_mut(*index),
        _ => None,
    }
}

/// The value at the end of `path`. A missing or null value on the path becomes a map.
fn made<'v>(object: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    let parent = path.iter().try_fold(object, entry)?;
    if *parent == Value::Null {
        *parent = Value::Map(Map::default());
    }
    Some(parent)
}

/// The value of an entry or item. A missing entry is created as null; a null value becomes a map if the step is a key.
fn entry<'v>(value: &'v mut Value, step: &Step) -> Option<&'v mut Value> {
    match step {
        Step::Item(_) => child(value, step),
        Step::Key(key) => {
            if *value == Value::Null {
                *value = Value::Map(Map::default());
            }
            match value {
                Value::Map(map) => Some(map.entry(key.clone()).or_insert(Value::Null)),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path;

    fn changed(text: &str, path: Path) -> Value {
        let mut value = Value::read(text).unwrap();
        Change::set(path, Value::Int(9)).apply(&mut value);
        value
    }

    #[test]
    fn a_list_on_the_way_stays_a_list() {
        assert_eq!(changed("a: [{}, {b: 1}]", path!["a", 1, "b"]), Value::read("a: [{}, {b: 9}]").unwrap());
        assert_eq!(changed("a: [{}]", path!["a", 0, "b"]), Value::read("a: [{b: 9}]").unwrap());
        assert_eq!(changed("a: [x]", path!["a", 0]), Value::read("a: [9]").unwrap());
        assert_eq!(changed("a: [x]", path!["a", 1]), Value::read("a: [x]").unwrap());
    }

    #[test]
    fn entries_that_go_at_once_are_gone() {
        let removes = |keys: &[&str]| keys.iter().map(|key| Change::remove(path!["a", *key])).collect::<Vec<_>>();
        let changes = [
            removes(&["x", "w", "none"]),
            vec![Change::set(path!["a", "w"], Value::Int(9)), Change::remove(path!["z"])],
            removes(&["b"]),
        ];
        let changes = changes.concat();
        let text = "{a: {x: 1, w: 2, b: 3, c: 4}, z: 1}";
        let (mut one_by_one, mut at_once) = (Value::read(text).unwrap(), Value::read(text).unwrap());
        changes.iter().for_each(|change| change.apply(&mut one_by_one));
        Change::apply_all(&changes, &mut at_once);
        assert_eq!(at_once, one_by_one);
        assert_eq!(at_once, Value::read("{a: {c: 4, w: 9}}").unwrap());
    }

    #[test]
    fn a_key_that_is_a_number_is_not_an_item() {
        assert_eq!(changed("a: [x]", path!["a", "0"]), Value::read("a: [x]").unwrap());
        assert_eq!(changed("a: {'0': x}", path!["a", "0"]), Value::read("a: {'0': 9}").unwrap());
        assert_eq!(changed("a: {'0': x}", path!["a", 0]), Value::read("a: {'0': x}").unwrap());
    }

    #[test]
    fn maps_are_made_where_there_is_none() {
        assert_eq!(changed("a: ", path!["a", "b", "c"]), Value::read("a: {b: {c: 9}}").unwrap());
    }
}
