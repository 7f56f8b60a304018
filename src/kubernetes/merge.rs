//! The three-way merge of `kubectl apply`, which Argo CD syncs with (`CreateThreeWayMergePatch` in
//! `k8s.io/apimachinery/pkg/util/strategicpatch`), as far as the `spec` of a Job needs it.

use super::diff::Names;
use crate::yaml::Value;
use crate::yaml::value::Map;

/// Lists whose items are merged, and the key that tells the items apart (`patchMergeKey` in `k8s.io/api/core/v1/types.go`). All
/// other lists are replaced.
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
/// Lists whose items keep nothing that the new one does not have (`patchStrategy: retainKeys`).
const RETAIN_KEYS: [&str; 2] = ["resourceClaims", "volumes"];

/// Changes `live` as applying `new` after `old` does: what only `old` has is removed, what `new` has is written, and what neither
/// has stays. A null in `new` removes.
pub(super) fn three_way(old: Option<&Value>, new: &Value, live: &mut Value) {
    merge("", old, new, live);
}

/// Merges the values of `field`.
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
    let Some((_, key)) = MERGED.iter().find(|(merged, _)| *merged == field) else { return new.to_vec() };
    let old = old.and_then(Value::as_list).unwrap_or_default();
    let all = (Names::of(old, key), Names::of(new, key), Names::of(live, key));
    let (Some(old_names), Some(_), Some(live_names)) = all else { return new.to_vec() };
    let of_name = |items: &[Value], names: &Names<'_>, item: &Value| items.get(names.find(item.at(&[key])?)?).cloned();
    let merged = |item: &Value| {
        let Some(mut there) = of_name(live, &live_names, item) else { return item.clone() };
        if let (true, Value::Map(there), Value::Map(item)) = (RETAIN_KEYS.contains(&field), &mut there, item) {
            there.retain(|key, _| item.contains_key(key));
        }
        merge("", of_name(old, &old_names, item).as_ref(), item, &mut there);
        there
    };
    new.iter().map(merged).collect()
}
