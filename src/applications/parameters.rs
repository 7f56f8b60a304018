//! The blocks of a source as parameters of this program, as `ARGOCD_APP_PARAMETERS` would have them.

use crate::yaml::Value;
use crate::yaml::json::{self, Form};
use crate::yaml::value::{List, Map};

/// The parameters of a source with at most one block.
pub(super) fn of(source: &Value) -> Option<String> {
    let parameters = if let Some(plugin) = source.at(&["plugin"]) {
        plugin.at(&["parameters"])?.clone()
    } else if let Some(directory) = source.at(&["directory"]).and_then(Value::as_map) {
        Value::List(of_directory(directory))
    } else {
        let (tool, block) = ["helm", "kustomize"].into_iter().find_map(|tool| Some((tool, source.at(&[tool])?)))?;
        Value::List(List::from_iter([
            parameter("source", tool),
            parameter(tool, &json::print(&without_credentials(block), Form::Stream)),
        ]))
    };
    Some(json::print(&parameters, Form::Stream))
}

fn of_directory(directory: &Map) -> List {
    let mut parameters = List::from_iter([parameter("source", "directory")]);
    if directory.get("recurse") == Some(&Value::Bool(true)) {
        parameters.push(parameter("recurse", "true"));
    }
    for key in ["include", "exclude"] {
        if let Some(pattern) = directory.get(key).and_then(Value::as_text).filter(|pattern| !pattern.is_empty()) {
            parameters.push(parameter(key, pattern));
        }
    }
    parameters
}

fn parameter(name: &str, value: &str) -> Value {
    let text = |text: &str| Value::String(text.into());
    Value::Map([("name".to_owned(), text(name)), ("string".to_owned(), text(value))].into_iter().collect())
}

/// `passCredentials` matters only to Argo CD, which has credentials of Helm repositories.
fn without_credentials(block: &Value) -> Value {
    match block {
        Value::Map(map) => {
            let kept = map.iter().filter(|(key, _)| *key != "passCredentials");
            Value::Map(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

/// The names and values of `plugin.env`, in their order.
pub(super) fn env(source: &Value) -> Vec<(String, String)> {
    let entries = source.at(&["plugin", "env"]).and_then(Value::as_list).unwrap_or_default();
    let text = |entry: &Value, key: &str| entry.text_at(&[key]).unwrap_or_default().to_owned();
    entries.iter().map(|entry| (text(entry, "name"), text(entry, "value"))).collect()
}

/// The fields of the block `kustomize` that say nothing on their own (`IsZero` in `pkg/apis/application/v1alpha1/types.go`).
const SWITCHES_OF_KUSTOMIZE: [&str; 5] = [
    "forceCommonLabels",
    "forceCommonAnnotations",
    "commonAnnotationsEnvsubst",
    "labelWithoutSelector",
    "labelIncludeTemplates",
];

/// The source without blocks that say nothing: for Argo CD they are not there (`NormalizeSource` in `util/argo/argo.go`).
pub(super) fn without_empty_blocks(source: Value) -> Value {
    let Value::Map(mut map) = source else { return source };
    let is_empty = |block: &str, ignored: &[&str]| {
        let fields = map.get(block).and_then(Value::as_map);
        fields.is_some_and(|fields| {
            fields.iter().all(|(key, value)| ignored.contains(&key.as_str()) || says_nothing(key, value))
        })
    };
    let empty =
        [is_empty("kustomize", &SWITCHES_OF_KUSTOMIZE), is_empty("helm", &[]), is_empty("directory", &["jsonnet"])];
    for (block, is_empty) in ["kustomize", "helm", "directory"].into_iter().zip(empty) {
        if is_empty && !(block == "directory" && has_jsonnet(map.get(block))) {
            map.remove(block);
        }
    }
    Value::Map(map)
}

/// Whether options of Jsonnet are set, which make a block of a directory even where no file is one.
fn has_jsonnet(directory: Option<&Value>) -> bool {
    let jsonnet = directory.and_then(|directory| directory.at(&["jsonnet"])).and_then(Value::as_map);
    jsonnet.is_some_and(|jsonnet| {
        jsonnet.iter().any(|(_, value)| matches!(value, Value::List(items) if !items.is_empty()))
    })
}

/// Whether it is the zero value of its type. Of `valuesObject` Argo CD keeps the text, and `{}` is one.
fn says_nothing(key: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Bool(found) => !found,
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty() && key != "valuesObject",
        _ => false,
    }
}
