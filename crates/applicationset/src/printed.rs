//! Prints values as Go's `%v` does after `encoding/json` has decoded them: every number is a float.

use goyaml::number::print_shortest;
use serde_json::Value;

pub(super) fn printed(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(" ");
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(found) => found.to_string(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), print_shortest),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", list(items.iter().map(printed).collect())),
        Value::Object(map) => {
            format!("map[{}]", list(map.iter().map(|(key, value)| format!("{key}:{}", printed(value))).collect()))
        }
    }
}
