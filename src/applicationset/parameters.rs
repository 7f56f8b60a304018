//! The parameters of an element.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use serde_json::{Map, Value};

use super::printed::printed;
use super::{PANIC, Problem};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parameters {
    map: Map<String, Value>,
    /// The paths, with dots between the keys, of maps and lists whose Go type is `map[string]string` or `[]string`,
    /// and of the list of clusters.
    typed: BTreeSet<String>,
}

impl Deref for Parameters {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl DerefMut for Parameters {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.map
    }
}

impl From<Map<String, Value>> for Parameters {
    fn from(map: Map<String, Value>) -> Self {
        Self { map, typed: BTreeSet::new() }
    }
}

impl Parameters {
    /// The parameters without their Go types.
    pub(super) fn into_map(self) -> Map<String, Value> {
        self.map
    }

    /// Records that the map or list at `path` has a special type in Go.
    pub(super) fn set_typed(&mut self, path: impl Into<String>) {
        self.typed.insert(path.into());
    }

    /// Whether the map or list at `path` has a special type in Go.
    pub(super) fn is_typed(&self, path: &str) -> bool {
        self.typed.contains(path)
    }

    fn at(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let first = self.map.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key))
    }

    /// Overlays these parameters with `over`: maps are merged, all other values are replaced, even by `false`, `[]`
    /// and null (`mergo.Merge` with `WithOverride`). Go panics when a map of texts is overlaid with a map of any
    /// values.
    pub(super) fn lay_over(&mut self, over: &Self) -> Result<(), Problem> {
        let is_map = |of: &Self, path: &str| of.at(path).is_some_and(Value::is_object);
        for path in self.typed.clone() {
            let is_other = !over.typed.contains(&path);
            let has_entries = over.at(&path).and_then(Value::as_object).is_some_and(|map| !map.is_empty());
            if is_other && has_entries && is_map(self, &path) {
                let message = format!(
                    "{PANIC}`{path}` of a generator has texts only and cannot be merged with that of another one"
                );
                return Err(Problem::Failed(message));
            }
            if is_other && over.at(&path).is_some_and(|value| !value.is_object()) {
                self.typed.remove(&path);
            }
        }
        for path in &over.typed {
            if !is_map(self, path) {
                self.typed.insert(path.clone());
            }
        }
        lay_map_over(&mut self.map, &over.map);
        Ok(())
    }

    /// The approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        size_of_map(&self.map)
    }

    /// The flattened parameters, as `flattenParameters` passes them to selectors. Before 3.4 a map of texts becomes a
    /// single text.
    pub(super) fn flat(&self, minor: u16) -> Vec<(String, String)> {
        let is_leaf = |path: &str, value: &Value| self.is_typed(path) && (value.is_array() || minor < 4);
        flat(&self.map, &is_leaf)
    }
}

fn lay_map_over(under: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Object(under)), Value::Object(over)) => lay_map_over(under, over),
            (Some(under), _) => under.clone_from(value),
            (None, _) => {
                under.insert(key.clone(), value.clone());
            }
        }
    }
}

fn size_of_map(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + size_of::<Value>() + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size_of::<Value>() + size_of_value(item)).sum(),
        Value::Object(map) => size_of_map(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Flattens a map: keys and indices of lists are joined with dots, and values are printed. Empty maps and lists are
/// left out (`Flatten` of `github.com/jeremywohl/flatten`). A leaf is printed as a whole.
pub(super) fn flat(map: &Map<String, Value>, is_leaf: &impl Fn(&str, &Value) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in map {
        flatten(key.clone(), value, is_leaf, &mut found);
    }
    found
}

fn flatten(at: String, value: &Value, is_leaf: &impl Fn(&str, &Value) -> bool, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !is_leaf(&at, value) => {
            map.iter().for_each(|(key, value)| flatten(format!("{at}.{key}"), value, is_leaf, found));
        }
        Value::Array(items) if !is_leaf(&at, value) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| flatten(format!("{at}.{index}"), value, is_leaf, found));
        }
        _ => found.push((at, printed(value))),
    }
}
