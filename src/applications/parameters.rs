//! What the block of a source sets: the parameters of the plugin, or the settings of a source that Argo CD renders itself.

use crate::settings::{Error, Settings, SourceKind};
use crate::yaml::Value;
use crate::yaml::json::{self, Form};

/// The parameters of the plugin, as `ARGOCD_APP_PARAMETERS` has them.
pub(super) fn of_plugin(source: &Value) -> Option<String> {
    source.at(&["plugin", "parameters"]).map(|parameters| json::print(parameters, Form::Stream))
}

/// The settings of a source with at most one block, which Argo CD renders itself.
pub(super) fn of_native(source: &Value) -> Result<Settings, Error> {
    let kinds = [SourceKind::Helm, SourceKind::Kustomize, SourceKind::Directory];
    let block = kinds.into_iter().find_map(|kind| Some((kind, source.at(&[kind.as_str()])?)));
    block.map_or(Ok(Settings::default()), |(kind, block)| Settings::of_source(kind, block.clone()))
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
