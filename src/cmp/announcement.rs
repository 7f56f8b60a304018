//! The announcement of parameters, as Argo CD's UI shows them: a JSON array with the fields of `ParameterAnnouncement`
//! (`reposerver/repository/repository.proto`). `parameters` prints it with the values that hold before the Application's own;
//! `plugin.yaml` carries it with the defaults.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use crate::settings::parameter::{Parameter, Stands, Takes};
use crate::settings::{Settings, Shown};

/// Where the binary is in the sidecar.
const PROGRAM: &str = "/usr/local/bin/argocd-jobs";

/// The announcement, one line of JSON. `settings` are what holds when the Application sets no parameter.
pub fn announcement(settings: &Settings) -> String {
    let rows: Vec<Json> = announced().map(|parameter| Json::Object(entry(parameter, settings))).collect();
    Json::Array(rows).to_string()
}

/// The part of `plugin.yaml` below `spec` that is about parameters.
pub fn plugin_yaml() -> String {
    let mut yaml = format!("  parameters:\n    dynamic:\n      command: [{PROGRAM}, parameters]\n    static:\n");
    for parameter in announced() {
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

/// The parameters that an Application can set.
fn announced() -> impl Iterator<Item = &'static Parameter> {
    Parameter::standing(Stands::ForTheApplication)
}

fn entry(parameter: &Parameter, settings: &Settings) -> Map<String, Json> {
    let (item_type, collection_type) = match parameter.takes {
        Takes::Text | Takes::Choice(_) | Takes::CommaList(_) => ("string", "string"),
        Takes::Number(_) => ("number", "string"),
        Takes::Switch => ("boolean", "string"),
        Takes::List => ("string", "array"),
        Takes::Map => ("string", "map"),
    };
    let default = match parameter.takes {
        Takes::List => Shown::List(Vec::new()),
        Takes::Map => Shown::Map(BTreeMap::new()),
        _ => Shown::Text(parameter.default.to_owned()),
    };
    let value = settings.get(parameter.id).map_or(default, |setting| setting.value.shown());
    let (key, value) = match value {
        Shown::Text(text) => ("string", json!(text)),
        Shown::List(items) => ("array", json!(items)),
        Shown::Map(map) => ("map", json!(map)),
    };
    let tooltip = format!("{}; takes {}", parameter.summary, parameter.expected);
    let fields = [
        ("name", json!(parameter.name)),
        ("title", json!(parameter.title)),
        ("tooltip", json!(tooltip)),
        ("required", json!(false)),
        ("itemType", json!(item_type)),
        ("collectionType", json!(collection_type)),
        (key, value),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
