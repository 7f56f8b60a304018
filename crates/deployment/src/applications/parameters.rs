//! Converts the block of a source: to the parameters of the plugin, or to the settings of a source that Argo CD
//! renders itself.

use goyaml::Value;
use goyaml::json::{self, Form};
use rewrite::settings::{Error, Parameter, Settings, SourceKind};

/// The parameters of the plugin, as JSON for `ARGOCD_APP_PARAMETERS`.
pub(super) fn of_plugin(source: &Value) -> Option<String> {
    source.at(&["plugin", "parameters"]).map(|parameters| json::print(parameters, Form::Stream))
}

/// The settings of a source that Argo CD renders itself. Such a source has at most one block.
pub(super) fn of_native(source: &Value) -> Result<Settings, Error> {
    let kinds = [SourceKind::Helm, SourceKind::Kustomize, SourceKind::Directory];
    let block = kinds.into_iter().find_map(|kind| Some((kind, source.at(&[kind.as_str()])?)));
    block.map_or(Ok(Settings::default()), |(kind, block)| Settings::of_source(kind, block.clone()))
}

/// The names and values of `plugin.env`, in the order of the manifest.
pub(super) fn env(source: &Value) -> Vec<(String, String)> {
    let entries = source.items_at(&["plugin", "env"]);
    let text = |entry: &Value, key: &str| entry.text_at(&[key]).unwrap_or_default().to_owned();
    entries.iter().map(|entry| (text(entry, "name"), text(entry, "value"))).collect()
}

/// Whether a plugin without a name is given variables or parameters, and none of them is ours.
pub(super) fn is_for_another(source: &Value) -> bool {
    let names = |list: &str| source.items_at(&["plugin", list]).iter().filter_map(|item| item.text_at(&["name"]));
    let is_ours = names("env").any(|name| name.starts_with(OWN_VARIABLES))
        || names("parameters").any(|name| Parameter::find(name).is_some());
    !is_ours && names("env").chain(names("parameters")).next().is_some()
}

/// How the names of our variables begin in `plugin.env`.
const OWN_VARIABLES: &str = "ARGOCD_JOBS_";

/// The fields of `kustomize` that do not make the block non-empty (`IsZero` in
/// `pkg/apis/application/v1alpha1/types.go`).
const SWITCHES_OF_KUSTOMIZE: [&str; 5] = [
    "forceCommonLabels",
    "forceCommonAnnotations",
    "commonAnnotationsEnvsubst",
    "labelWithoutSelector",
    "labelIncludeTemplates",
];

/// The source without empty blocks, which count as missing for Argo CD (`NormalizeSource` in `util/argo/argo.go`).
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

/// Whether a directory block sets options of Jsonnet: then it counts even when there are no Jsonnet files.
fn has_jsonnet(directory: Option<&Value>) -> bool {
    let jsonnet = directory.and_then(|directory| directory.at(&["jsonnet"])).and_then(Value::as_map);
    jsonnet.is_some_and(|jsonnet| {
        jsonnet.iter().any(|(_, value)| matches!(value, Value::List(items) if !items.is_empty()))
    })
}

/// Whether a value is the zero value of its type. `valuesObject` is stored as text, so `{}` is not its zero value.
fn says_nothing(key: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Bool(found) => !found,
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty() && key != "valuesObject",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_without_a_name_is_ours_unless_it_is_given_only_what_another_reads() {
        for (plugin, is_for_another_one) in [
            ("{}", false),
            ("{env: [{name: ARGOCD_JOBS_STRATEGY, value: hook}]}", false),
            ("{env: [{name: AVP_TYPE, value: vault}, {name: ARGOCD_JOBS_TTL, value: '60'}]}", false),
            ("{parameters: [{name: strategy, string: hook}]}", false),
            ("{env: [{name: helm_args, value: -f values.yaml}]}", true),
            ("{parameters: [{name: chart-values, map: {a: b}}]}", true),
        ] {
            let source = Value::read(&format!("{{plugin: {plugin}}}")).unwrap();
            assert_eq!(is_for_another(&source), is_for_another_one, "{plugin}");
        }
    }
}
