//! The rules for a pod that concern more than one field (`ValidatePodSpec`).

use std::collections::BTreeSet;

use goyaml::{Path, Value};

use super::{Found, has_placeholder, items, set};
use crate::kubernetes::quantity;

/// A volume source that older clusters drop, because they do not know it.
const NEW_VOLUME: &str = "image";

pub(super) fn judge(path: &Path, pod: &Value, found: &mut Found) {
    let mut names = BTreeSet::new();
    for (path, volume) in items(path, pod, "volumes") {
        unique(&path, volume, "volume", &mut names, found);
        let sources: Vec<&str> = volume
            .as_map()
            .into_iter()
            .flatten()
            .filter(|(_, value)| **value != Value::Null)
            .map(|(key, _)| key.as_str())
            .filter(|key| super::types::has_field("Volume", key) && !["name", NEW_VOLUME].contains(key))
            .collect();
        if sources.len() > 1 {
            let what = format!("`{path}` has more than one source: `{}`", sources.join("`, `"));
            found.add(path, what, "keep one of them, or write a volume for each");
        }
    }
    let mut containers = BTreeSet::new();
    for list in ["containers", "initContainers"] {
        for (path, container) in items(path, pod, list) {
            unique(&path, container, "container", &mut containers, found);
            mounts(&path, container, &names, found);
            variables(&path, container, found);
            resources(&path, container, found);
        }
    }
}

/// Reports a name that an earlier item has.
fn unique<'v>(path: &Path, item: &'v Value, noun: &str, names: &mut BTreeSet<&'v str>, found: &mut Found) {
    let Some(name) = item.text_at(&["name"]).filter(|name| !name.is_empty()) else { return };
    if !names.insert(name) && !has_placeholder(name) {
        found.add(path.with("name"), format!("two {noun}s have the name `{name}`"), format!("rename one {noun}"));
    }
}

fn mounts(path: &Path, container: &Value, volumes: &BTreeSet<&str>, found: &mut Found) {
    let mut places = BTreeSet::new();
    for (path, mount) in items(path, container, "volumeMounts") {
        let name = mount.text_at(&["name"]).filter(|name| !name.is_empty() && !has_placeholder(name));
        if let Some(name) =
            name.filter(|name| !volumes.contains(name) && !volumes.iter().any(|name| has_placeholder(name)))
        {
            let what = format!("a container mounts the volume `{name}`, which the pod does not have");
            found.add(
                path.with("name"),
                what,
                format!("add a volume `{name}` to the pod template, or remove the mount"),
            );
        }
        let place = mount.text_at(&["mountPath"]).filter(|place| !place.is_empty() && !has_placeholder(place));
        if let Some(place) = place.filter(|place| !places.insert(*place)) {
            let what = format!("a container mounts two volumes at `{place}`");
            found.add(path.with("mountPath"), what, "change one of the paths");
        }
    }
}

fn variables(path: &Path, container: &Value, found: &mut Found) {
    for (path, variable) in items(path, container, "env") {
        let name = variable.text_at(&["name"]).unwrap_or_default();
        if name.contains('=') || name.contains(|found: char| found.is_control() || !found.is_ascii()) {
            let what = format!("the name of the variable at `{path}` has a character that is not allowed");
            found.add(path.with("name"), what, "use letters, digits and `_` in the name");
        }
        if let Some(source) = set(variable, "valueFrom") {
            // `fileKeyRef` is new: clusters that do not know it drop it.
            let sources = ["configMapKeyRef", "fieldRef", "resourceFieldRef", "secretKeyRef"];
            let count = sources.into_iter().filter(|field| set(source, field).is_some()).count();
            let is_new = set(source, "fileKeyRef").is_some();
            if variable.text_at(&["value"]).is_some_and(|value| !value.is_empty()) && count > 0 {
                let what = format!("the variable `{name}` has both `value` and `valueFrom`");
                found.add(path.with("valueFrom"), what, "remove one of the two");
            } else if count > 1 || count == 0 && !is_new {
                let what = format!(
                    "`valueFrom` of the variable `{name}` has {}",
                    if count == 0 { "no source" } else { "more than one source" }
                );
                found.add(path.with("valueFrom"), what, format!("write one of `{}`", sources.join("`, `")));
            }
        }
    }
}

/// Reports amounts of a container that are negative, and requests above the limit.
fn resources(path: &Path, container: &Value, found: &mut Found) {
    let path = path.with("resources");
    let amounts = |list: &'static str| container.at(&["resources", list]).and_then(Value::as_map).into_iter().flatten();
    for list in ["limits", "requests"] {
        for (resource, amount) in amounts(list) {
            if quantity::compare(amount, &Value::Int(0)).is_some_and(|order| order.is_lt()) {
                let what = format!("`{list}.{resource}` of a container is negative");
                found.add(path.with(list).with(resource), what, "write an amount that is not negative");
            }
        }
    }
    for (resource, request) in amounts("requests") {
        let Some(limit) = container.at(&["resources", "limits", resource]) else { continue };
        if quantity::compare(request, limit).is_some_and(|order| order.is_gt()) {
            let what = format!("a container asks for more `{resource}` than its limit");
            found.add(
                path.with("requests").with(resource),
                what,
                format!("lower the request for `{resource}`, or raise its limit"),
            );
        }
    }
}
