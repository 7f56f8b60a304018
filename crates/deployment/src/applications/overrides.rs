//! `.argocd-source.yaml` and `.argocd-source-<name>.yaml` in the folder of an Application override fields of its
//! source (`mergeSourceParameters` in `reposerver/repository/repository.go`). Image updaters write these files.

use std::collections::BTreeMap;

use goyaml::Value;
use goyaml::shared::Text;
use goyaml::value::{List, Map};

/// The names of the files, in the order in which they are applied. `name` is the name of the Application, as a plugin
/// sees it.
pub(super) fn file_names(name: &str) -> [String; 2] {
    [".argocd-source.yaml".to_owned(), format!(".argocd-source-{name}.yaml")]
}

/// The fields that the files cannot override.
const FIXED: [&str; 4] = ["repoURL", "path", "targetRevision", "chart"];

/// `source` overridden by `patch`. Both have the types of the API, so they contain no nulls.
///
/// Argo CD computes a JSON merge patch and unmarshals the result into the existing source. So nothing is removed. If
/// a new item of a list is at the index of an old one, it keeps the fields of the old item that it does not set.
pub(super) fn lay_over(source: Value, patch: Value) -> Value {
    match (source, patch) {
        (Value::Map(old), Value::Map(new)) => {
            let new = new.into_iter().filter(|(key, _)| !FIXED.contains(&key.as_str())).collect();
            Value::Map(merge_maps(old, new))
        }
        (source, _) => source,
    }
}

fn merge_maps(old: Map, new: Map) -> Map {
    both(old, new, |key, old, new| match (old, new) {
        // Argo CD stores `valuesObject` as JSON text, so unmarshalling replaces it by the result of the merge patch.
        (old, Some(new)) if key == "valuesObject" => Some(merge_patch(old, new)),
        (Some(Value::Map(old)), Some(Value::Map(new))) => Some(Value::Map(merge_maps(old, new))),
        (Some(Value::List(old)), Some(Value::List(new))) => Some(Value::List(merge_items(old, new))),
        (old, new) => new.or(old),
    })
}

/// A merge patch replaces a list; then Go's `json.Unmarshal` fills the existing items.
fn merge_items(old: List, new: List) -> List {
    let mut old = old.into_iter();
    let items = new.into_iter().map(|new| match (old.next(), new) {
        (Some(Value::Map(old)), Value::Map(new)) => Value::Map(merge_maps(old, new)),
        (_, new) => new,
    });
    items.collect()
}

/// The merge patch of RFC 7396.
fn merge_patch(old: Option<Value>, patch: Value) -> Value {
    let Value::Map(patch) = patch else { return patch };
    let old = match old {
        Some(Value::Map(old)) => old,
        _ => Map::default(),
    };
    Value::Map(both(old, patch, |_, old, new| match new {
        None => old,
        Some(Value::Null) => None,
        Some(new) => Some(merge_patch(old, new)),
    }))
}

/// Joins two maps: `join` gets the two values of each key.
fn both(old: Map, new: Map, join: impl Fn(&str, Option<Value>, Option<Value>) -> Option<Value>) -> Map {
    let mut pairs: BTreeMap<Text, (Option<Value>, Option<Value>)> = BTreeMap::new();
    for (key, value) in old {
        pairs.entry(key).or_default().0 = Some(value);
    }
    for (key, value) in new {
        pairs.entry(key).or_default().1 = Some(value);
    }
    let joined = pairs.into_iter().filter_map(|(key, (old, new))| join(&key, old, new).map(|value| (key, value)));
    joined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_laid_over_a_source() {
        for (source, patch, wanted) in [
            ("{helm: {releaseName: a}}", "{}", "{helm: {releaseName: a}}"),
            ("{helm: {releaseName: a}}", "{helm: {values: b}}", "{helm: {releaseName: a, values: b}}"),
            ("{path: a, repoURL: b}", "{path: x, repoURL: x, chart: x, targetRevision: x}", "{path: a, repoURL: b}"),
            ("{kustomize: {images: [a:1, b:1]}}", "{kustomize: {images: [b:2]}}", "{kustomize: {images: [b:2]}}"),
            (
                "{kustomize: {commonLabels: {a: '1', b: '2'}}}",
                "{kustomize: {commonLabels: {b: '3'}}}",
                "{kustomize: {commonLabels: {a: '1', b: '3'}}}",
            ),
            (
                "{helm: {parameters: [{name: a, value: x, forceString: true}]}}",
                "{helm: {parameters: [{name: b, value: y}, {name: c}]}}",
                "{helm: {parameters: [{name: b, value: y, forceString: true}, {name: c}]}}",
            ),
            (
                "{helm: {valuesObject: {a: {b: 1}, c: [1]}}}",
                "{helm: {valuesObject: {a: {b: null}, c: [2], d: 3}}}",
                "{helm: {valuesObject: {a: {}, c: [2], d: 3}}}",
            ),
        ] {
            let read = |text| Value::read(text).unwrap();
            assert_eq!(lay_over(read(source), read(patch)), read(wanted), "{source} {patch}");
        }
    }
}
