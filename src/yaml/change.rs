//! A change of a value, told by keys: what a strategy asks for and what an edit must bring about.

use super::value::{Map, Value};

/// One change; paths are keys from the object down, and the decimal index of an item where a list stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The value at the path, whose maps are made where they are missing or null.
    Set {
        /// From the object down; never empty.
        path: Vec<String>,
        /// The new value.
        value: Value,
    },
    /// No such key. A map left empty stays.
    Remove {
        /// From the object down; never empty.
        path: Vec<String>,
    },
    /// The key at the end of the path gets another name and value, in the place of the old one.
    Rename {
        /// From the object down; never empty.
        path: Vec<String>,
        /// The new key.
        to: String,
        /// The new value.
        value: Value,
    },
}

impl Change {
    /// Sets a value.
    pub fn set(path: &[&str], value: Value) -> Self {
        Self::Set { path: owned(path), value }
    }

    /// Removes a key.
    pub fn remove(path: &[&str]) -> Self {
        Self::Remove { path: owned(path) }
    }

    /// Renames a key and sets its value.
    pub fn rename(path: &[&str], to: &str, value: Value) -> Self {
        Self::Rename { path: owned(path), to: to.to_owned(), value }
    }

    /// The keys of the map that changes, and the key in it.
    pub fn split(&self) -> (&[String], &str) {
        let (Self::Set { path, .. } | Self::Remove { path } | Self::Rename { path, .. }) = self;
        path.split_last().map_or((&[], ""), |(last, parents)| (parents, last.as_str()))
    }

    /// Does the change to a value.
    pub fn apply(&self, object: &mut Value) {
        let (parents, key) = self.split();
        match self {
            Self::Set { value, .. } => match parents.iter().try_fold(&mut *object, |value, key| child(value, key)) {
                Some(Value::List(items)) => {
                    if let Some(item) = key.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                        *item = value.clone();
                    }
                }
                _ => {
                    map_at(object, parents).insert(key.to_owned(), value.clone());
                }
            },
            Self::Remove { .. } => {
                if let Some(Value::Map(map)) = parents.iter().try_fold(object, |value, key| child(value, key)) {
                    map.remove(key);
                }
            }
            Self::Rename { to, value, .. } => {
                let map = map_at(object, parents);
                map.remove(key);
                map.insert(to.clone(), value.clone());
            }
        }
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|key| (*key).to_owned()).collect()
}

/// What stands under a key of a map or at an index of a list.
fn child<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    match value {
        Value::Map(map) => map.get_mut(key),
        Value::List(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    }
}

fn map_at<'v>(object: &'v mut Value, path: &[String]) -> &'v mut Map {
    let mut value = object;
    for key in path {
        value = as_map(value).entry(key.clone()).or_insert(Value::Null);
    }
    as_map(value)
}

fn as_map(value: &mut Value) -> &mut Map {
    if !matches!(value, Value::Map(_)) {
        *value = Value::Map(Map::new());
    }
    match value {
        Value::Map(map) => map,
        _ => unreachable!("it was made a map in the line above"),
    }
}
