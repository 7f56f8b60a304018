//! The parameters of an element: how they are merged, measured and flattened.

use gotemplate::Parameters;
use serde_json::{Map, Value};

use super::printed::printed;
use super::{PANIC, Problem};

fn at<'p>(parameters: &'p Parameters, path: &str) -> Option<&'p Value> {
    let mut keys = path.split('.');
    let first = parameters.map.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

/// Overlays parameters with `over`: maps are merged, all other values are replaced, even by `false`, `[]`
/// and null (`mergo.Merge` with `WithOverride`). Go panics when a map of texts is overlaid with a map of any
/// values.
pub(super) fn lay_over(under: &mut Parameters, over: &Parameters) -> Result<(), Problem> {
    let is_map = |of: &Parameters, path: &str| at(of, path).is_some_and(Value::is_object);
    for path in under.typed.clone() {
        let is_other = !over.typed.contains(&path);
        let has_entries = at(over, &path).and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        if is_other && has_entries && is_map(under, &path) {
            let message =
                format!("{PANIC}`{path}` of a generator has texts only and cannot be merged with that of another one");
            return Err(Problem::Failed(message));
        }
        if is_other && at(over, &path).is_some_and(|value| !value.is_object()) {
            under.typed.remove(&path);
        }
    }
    for path in &over.typed {
        if !is_map(under, path) {
            under.typed.insert(path.clone());
        }
    }
    lay_map_over(&mut under.map, &over.map);
    Ok(())
}

/// The approximate size in bytes.
pub(super) fn size(parameters: &Parameters) -> usize {
    size_of_map(&parameters.map)
}

/// The flattened parameters, as `flattenParameters` passes them to selectors. Before 3.4 a map of texts becomes a
/// single text.
pub(super) fn for_selectors(parameters: &Parameters, minor: u16) -> Vec<(String, String)> {
    let is_leaf = |path: &str, value: &Value| parameters.is_typed(path) && (value.is_array() || minor < 4);
    flat(&parameters.map, &is_leaf)
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
