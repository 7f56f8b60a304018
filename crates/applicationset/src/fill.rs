//! Fills the gaps in the template of a generator with the template of its set (`mergeGeneratorTemplate`:
//! `mergo.Merge` without override).

use serde_json::Value;

/// The value `over`, in which each missing value and each `false`, `0`, `""` or `[]` is replaced by the value in
/// `under`.
pub(super) fn filled(over: &Value, under: &Value) -> Value {
    match (over, under) {
        (Value::Object(over), Value::Object(under)) => {
            let mut whole = over.clone();
            for (key, value) in under {
                let now = whole.entry(key).or_insert_with(Value::default);
                // Argo CD stores `valuesObject` as JSON text, so one that is set is not filled.
                if key != "valuesObject" || is_empty(now) {
                    *now = filled(now, value);
                }
            }
            Value::Object(whole)
        }
        _ if is_empty(over) => under.clone(),
        _ => over.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(found) => !found,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) => false,
    }
}
