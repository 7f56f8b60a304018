//! The announcement of parameters, as Argo CD's UI shows them: a JSON array with the fields of `ParameterAnnouncement`
//! (`reposerver/repository/repository.proto`). `parameters` prints it with the values that hold before the Application's own;
//! `plugin.yaml` carries it with the defaults.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use crate::settings::{DisplayValue, Parameter, Position, Settings, SourceKind, ValueType};

/// Where the binary is in the sidecar.
const PROGRAM: &str = "/usr/local/bin/argocd-jobs";

/// The announcement, one line of JSON. `settings` are what holds when the Application sets no parameter; of the parameters for one
/// tool there are only those of `tool`.
pub fn announcement(settings: &Settings, tool: Option<SourceKind>) -> String {
    let rows: Vec<Json> = announced(tool).map(|parameter| Json::Object(entry(parameter, settings))).collect();
    Json::Array(rows).to_string()
}

/// The part of `plugin.yaml` below `spec` that is about parameters: those for every kind of source.
pub fn plugin_yaml() -> String {
    let mut yaml = format!("  parameters:\n    dynamic:\n      command: [{PROGRAM}, parameters]\n    static:\n");
    for parameter in announced(None) {
        let mut indent = "      - ";
        // `name` first, as people write it, and the value last.
        let mut fields: Vec<(String, Json)> = entry(parameter, &Settings::default()).into_iter().collect();
        let order = ["name", "title", "tooltip", "required", "itemType", "collectionType"];
        fields.sort_by_key(|(key, _)| order.iter().position(|known| known == key).unwrap_or(order.len()));
        for (key, value) in fields {
            // JSON is YAML, and quotes what YAML would read as something else. Writing to a String cannot fail.
            let _ = writeln!(yaml, "{indent}{key}: {value}");
            indent = "        ";
        }
    }
    yaml
}

/// The parameters that an Application can set whose source is rendered by this tool.
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
