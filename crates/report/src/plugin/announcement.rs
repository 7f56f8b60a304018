//! The announcement of parameters that Argo CD's UI shows: a JSON array with the fields of `ParameterAnnouncement`
//! (`reposerver/repository/repository.proto`). The sub-command `parameters` prints it with the values that hold before the Application's own;
//! `plugin.yaml` contains it with the defaults.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use rewrite::settings::{DisplayValue, Parameter, Position, Settings, SourceKind, ValueType};
use serde_json::{Map, Value as Json, json};

/// The path of the binary in the sidecar.
const PROGRAM: &str = "/usr/local/bin/argocd-jobs";

/// The announcement, as one line of JSON. `settings` are the values that hold if the Application sets no parameter. Leaves out the parameters for
/// rendering tools other than `tool`.
pub fn announcement(settings: &Settings, tool: Option<SourceKind>) -> String {
    let rows: Vec<Json> = announced(tool).map(|parameter| Json::Object(entry(parameter, settings))).collect();
    Json::Array(rows).to_string()
}

/// The part of `plugin.yaml` below `spec` that lists the parameters. Contains the parameters for every kind of source.
pub fn plugin_yaml() -> String {
    let mut yaml = format!("  parameters:\n    dynamic:\n      command: [{PROGRAM}, parameters]\n    static:\n");
    for parameter in announced(None) {
        let mut indent = "      - ";
        // `name` comes first, as people write it, and the value last.
        let mut fields: Vec<(String, Json)> = entry(parameter, &Settings::default()).into_iter().collect();
        let order = ["name", "title", "tooltip", "required", "itemType", "collectionType"];
        fields.sort_by_key(|(key, _)| order.iter().position(|known| known == key).unwrap_or(order.len()));
        for (key, value) in fields {
            // JSON is valid YAML, and quotes texts that YAML would read as another type. Writing to a String cannot fail.
            let _ = writeln!(yaml, "{indent}{key}: {value}");
            indent = "        ";
        }
    }
    yaml
}

/// The parameters that an Application can set if `tool` renders its source.
fn announced(tool: Option<SourceKind>) -> impl Iterator<Item = &'static Parameter> {
    Parameter::at(Position::Application).filter(move |row| row.tool().is_none() || row.tool() == tool)
}

static EMPTY: BTreeMap<String, String> = BTreeMap::new();

fn entry(parameter: &Parameter, settings: &Settings) -> Map<String, Json> {
    let text = DisplayValue::Text(parameter.default.into());
    let (item_type, collection_type, default) = match parameter.value_type {
        ValueType::Text { .. } | ValueType::Choice(_) | ValueType::CommaList(_) => ("string", "string", text),
        ValueType::Number(_) => ("number", "string", text),
        ValueType::Switch => ("boolean", "string", text),
        ValueType::Block(_) => ("string", "string", text),
        ValueType::List | ValueType::Texts => ("string", "array", DisplayValue::List(Cow::Borrowed(&[]))),
        ValueType::Map | ValueType::Hashes => ("string", "map", DisplayValue::Map(Cow::Borrowed(&EMPTY))),
    };
    let value = settings.get(parameter.id).map_or(default, |setting| setting.value.display());
    let (key, value) = match value {
        DisplayValue::Text(text) => ("string", json!(text)),
        DisplayValue::List(items) => ("array", json!(items)),
        DisplayValue::Map(map) => ("map", json!(map)),
    };
    let fields = [
        ("name", json!(parameter.name)),
        ("title", json!(parameter.title)),
        ("tooltip", json!(parameter.description())),
        ("required", json!(false)),
        ("itemType", json!(item_type)),
        ("collectionType", json!(collection_type)),
        (key, value),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
