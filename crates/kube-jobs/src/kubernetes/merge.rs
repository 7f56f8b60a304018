//! The three-way merge of `kubectl apply`, which Argo CD uses to sync (`CreateThreeWayMergePatch` in `k8s.io/apimachinery/pkg/util/strategicpatch`).
//! Covers only what the `spec` of a Job needs.

use goyaml::Value;
use goyaml::value::Map;

use super::diff::Names;

/// Lists whose items are merged, and the key that identifies an item (`patchMergeKey` in `k8s.io/api/core/v1/types.go`). All other lists
/// are replaced.
const MERGED: [(&str, &str); 13] = [
    ("containers", "name"),
    ("env", "name"),
    ("ephemeralContainers", "name"),
    ("hostAliases", "ip"),
    ("imagePullSecrets", "name"),
    ("initContainers", "name"),
    ("ports", "containerPort"),
    ("resourceClaims", "name"),
    ("schedulingGates", "name"),
    ("topologySpreadConstraints", "topologyKey"),
    ("volumeDevices", "devicePath"),
    ("volumeMounts", "mountPath"),
    ("volumes", "name"),
];
/// Merged lists whose items lose all keys that the new item does not have (`patchStrategy: retainKeys`).
const RETAIN_KEYS: [&str; 2] = ["resourceClaims", "volumes"];

/// The key that identifies an item of a list whose items are merged; none for any other list.
pub(crate) fn key_of(field: &str) -> Option<&'static str> {
    MERGED.iter().find(|(merged, _)| *merged == field).map(|(_, key)| *key)
}

/// Applies `new` after `old` to the object `live`: entries that only `old` has are removed, entries of `new` are written, entries that neither has
/// stay. A null in `new` removes an entry.
pub(super) fn three_way(old: Option<&Value>, new: &Value, live: &mut Value) {
    merge("", old, new, live);
}

fn merge(field: &str, old: Option<&Value>, new: &Value, live: &mut Value) {
    match (new, live) {
        (Value::Map(new), Value::Map(live)) => merge_maps(old, new, live),
        (Value::List(new), Value::List(live)) => *live = merge_lists(field, old, new, live).into(),
        (new, live) => *live = new.clone(),
    }
}

fn merge_maps(old: Option<&Value>, new: &Map, live: &mut Map) {
    let was_applied = |key: &str| old.and_then(Value::as_map).is_some_and(|old| old.contains_key(key));
    live.retain(|key, _| new.get(key).map_or(!was_applied(key), |value| *value != Value::Null));
    let mut added = Vec::new();
    for (key, value) in new.iter().filter(|(_, value)| **value != Value::Null) {
        match live.get_mut(key) {
            Some(there) => merge(key, old.and_then(|old| old.at(&[key])), value, there),
            None => added.push((key.clone(), value.clone())),
        }
    }
    live.extend(added);
}

fn merge_lists(field: &str, old: Option<&Value>, new: &[Value], live: &[Value]) -> Vec<Value> {
    let Some(key) = key_of(field) else { return new.to_vec() };
    let old = old.and_then(Value::as_list).unwrap_or_default();
    let all = (Names::of(old, key), Names::of(new, key), Names::of(live, key));
    let (Some(old_names), Some(new_names), Some(live_names)) = all else { return new.to_vec() };
    let of_name = |items: &[Value], names: &Names<'_>, item: &Value| items.get(names.find(item.at(&[key])?)?).cloned();
    let merged = |item: &Value| {
        let Some(mut there) = of_name(live, &live_names, item) else { return item.clone() };
        if let (true, Value::Map(there), Value::Map(item)) = (RETAIN_KEYS.contains(&field), &mut there, item) {
            there.retain(|key, _| item.contains_key(key));
        }
        merge("", of_name(old, &old_names, item).as_ref(), item, &mut there);
        there
    };
    let merged: Vec<Value> = new.iter().map(merged).collect();
    let is_known = |name: &Value| old_names.find(name).is_some() || new_names.find(name).is_some();
    let of_others = live.iter().filter(|item| item.at(&[key]).is_some_and(|name| !is_known(name))).cloned().collect();
    interleaved(of_others, merged, |item| live_names.find(item.at(&[key])?))
}

/// The items that neither manifest has, such as those of a webhook, among those of the new one: each before the first item that comes after it in the
/// live list (`mergeSortedSlice`).
fn interleaved(others: Vec<Value>, new: Vec<Value>, place: impl Fn(&Value) -> Option<usize>) -> Vec<Value> {
    let mut others = others.into_iter().peekable();
    let mut all = Vec::with_capacity(others.len() + new.len());
    for item in new {
        while let Some(other) = others.next_if(|other| place(other).zip(place(&item)).is_some_and(|(a, b)| a < b)) {
            all.push(other);
        }
        all.push(item);
    }
    all.extend(others);
    all
}
