//! `templatePatch`: a strategic merge patch on an Application (`applicationset/controllers/template/patch.go`, and
//! `k8s.io/apimachinery/pkg/util/strategicpatch` with the tags of the type Application).

use serde_json::{Map, Value};

use super::{Problem, Unread, read_yaml};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";

/// The position of a map in an Application, where it makes a difference for patching.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Root,
    Metadata,
    /// `valuesObject`, whose fields have no type in the API.
    Untyped,
    Other,
}

/// Applies a patch to an Application. The patch is YAML, or JSON when it begins with `{`.
pub(super) fn patched(application: Value, patch: &str) -> Result<Value, Problem> {
    let patch = if patch.trim().starts_with('{') {
        serde_json::from_str(patch).map_err(|error| Unread::Refused(error.to_string()))
    } else {
        read_yaml(patch)
    };
    let patch = patch.map_err(|unread| unread.of("invalid templatePatch", "`templatePatch`"))?;
    with(application, patch).map_err(Problem::Failed)
}

/// The Application with the value of the patch laid over it. The error is a message without a place.
fn with(application: Value, patch: Value) -> Result<Value, String> {
    let patch = match patch {
        Value::Object(patch) => patch,
        Value::Null => Map::new(),
        _ => return Err("invalid templatePatch: it is not a map".to_owned()),
    };
    let project = application["spec"]["project"].clone();
    let Value::Object(application) = application else { return Err("the template is not a map".to_owned()) };
    let mut merged = merge(application, patch, At::Root)?;
    for field in ["metadata", "spec"] {
        if !merged.entry(field).or_insert_with(|| Map::new().into()).is_object() {
            return Err(format!("invalid templatePatch: `{field}` is not a map"));
        }
    }
    let mut whole = Value::Object(merged);
    whole["spec"]["project"] = project;
    Ok(whole)
}

/// `mergeMap`.
fn merge(
    mut original: Map<String, Value>,
    mut patch: Map<String, Value>,
    at: At,
) -> Result<Map<String, Value>, String> {
    match patch.remove(DIRECTIVE) {
        None => {}
        Some(directive) if directive == "replace" => return Ok(patch),
        Some(directive) if directive == "delete" => return Ok(Map::new()),
        Some(directive) => return Err(format!("invalid templatePatch: unknown patch type {directive}")),
    }
    if let Some(kept) = patch.remove(RETAIN_KEYS) {
        retain(&mut original, &patch, &kept)?;
    }
    for (key, value) in patch {
        if let Some(key) = key.strip_prefix(DELETE_FROM_LIST) {
            if let (Some(Value::Array(items)), Value::Array(gone)) = (original.get_mut(key), &value) {
                items.retain(|item| !gone.contains(item));
            }
            continue;
        }
        let Some(now) = original.remove(&key) else {
            original.extend(
                without_directives(without_nulls(value)).filter(|value| !value.is_null()).map(|value| (key, value)),
            );
            continue;
        };
        let merged = match (now, value) {
            (_, Value::Null) => None,
            (Value::Object(_) | Value::Array(_), Value::Object(_) | Value::Array(_)) if at == At::Untyped => {
                return Err(format!("unable to find api field in struct RawExtension for the json field \"{key}\""));
            }
            (Value::Object(now), Value::Object(patch)) => Some(Value::Object(merge(now, patch, below(at, &key))?)),
            (Value::Array(now), Value::Array(patch)) if at == At::Metadata && key == "finalizers" => {
                Some(Value::Array(merge_texts(now, patch)))
            }
            (Value::Array(_), Value::Array(patch)) => Some(Value::Array(patch)),
            (_, value) => without_directives(without_nulls(value)),
        };
        original.extend(merged.map(|merged| (key, merged)));
    }
    Ok(original)
}

fn below(at: At, key: &str) -> At {
    match (at, key) {
        (At::Root, "metadata") => At::Metadata,
        (_, "valuesObject") => At::Untyped,
        _ => At::Other,
    }
}

/// `applyRetainKeysDirective`.
fn retain(original: &mut Map<String, Value>, patch: &Map<String, Value>, kept: &Value) -> Result<(), String> {
    let is_kept = |key: &str| kept.as_array().is_some_and(|kept| kept.iter().any(|one| one == key));
    let is_named = |(key, value): (&String, &Value)| value.is_null() || key.starts_with('$') || is_kept(key);
    if !kept.is_array() || !patch.iter().all(is_named) {
        return Err(format!("invalid templatePatch: `{RETAIN_KEYS}` does not list each field of the patch"));
    }
    original.retain(|key, _| is_kept(key));
    Ok(())
}

/// Merges two lists of texts: the items of the patch in its order, among the other items.
fn merge_texts(now: Vec<Value>, patch: Vec<Value>) -> Vec<Value> {
    let place = |item: &Value| now.iter().position(|one| one == item);
    let mut added: Vec<Value> = Vec::new();
    for item in &patch {
        if !added.contains(item) {
            added.push(item.clone());
        }
    }
    let mut kept: Vec<&Value> = Vec::new();
    for item in &now {
        if !patch.contains(item) && !kept.contains(&item) {
            kept.push(item);
        }
    }
    let mut kept = kept.into_iter().peekable();
    let mut merged = Vec::new();
    for item in added {
        let at = place(&item);
        while let Some(before) = kept.next_if(|one| at.is_some_and(|at| place(one).is_some_and(|one| one < at))) {
            merged.push(before.clone());
        }
        merged.push(item);
    }
    merged.extend(kept.cloned());
    merged
}

/// `discardNullValuesFromPatch`.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// `removeDirectives`.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(map) if map.contains_key(DIRECTIVE) => None,
        Value::Object(map) => {
            let kept = map.into_iter().filter_map(|(key, value)| Some((key, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => Some(items.into_iter().filter_map(without_directives).collect()),
        other => Some(other),
    }
}
