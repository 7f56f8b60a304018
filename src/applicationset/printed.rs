//! Values as Go prints them with `%v`, once `encoding/json` has read them: each number is a float.

use serde_json::Value;

/// A value as text.
pub(super) fn printed(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(" ");
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(found) => found.to_string(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), float),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", list(items.iter().map(printed).collect())),
        Value::Object(map) => {
            format!("map[{}]", list(map.iter().map(|(key, value)| format!("{key}:{}", printed(value))).collect()))
        }
    }
}

/// A number with as many digits as it needs, and an exponent of at least two digits when that is below -4 or above 5.
pub(super) fn float(number: f64) -> String {
    let text = format!("{number:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
