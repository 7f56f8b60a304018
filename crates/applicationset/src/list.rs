//! The generator `list` (`applicationset/generators/list.go`).

use serde_json::{Map, Value};

use super::element::Element;
use super::{Context, Problem, read_yaml};

/// The elements in `elements`, followed by those in `elementsYaml`.
pub(super) fn elements(spec: &Value, context: &Context<'_>) -> Result<Vec<Element>, Problem> {
    let written = spec["elements"].as_array().map_or(&[][..], Vec::as_slice);
    let mut found = Vec::new();
    for element in written {
        let parameters = as_map(element, "list element")?;
        found.push(if context.templates.is_go() { parameters } else { texts(parameters)? });
    }
    if let Some(text) = spec["elementsYaml"].as_str().filter(|text| !text.is_empty()) {
        let value = read_yaml(text).map_err(|unread| unread.of("`elementsYaml`", "`elementsYaml`"))?;
        match &value {
            Value::Null => {}
            Value::Array(items) => {
                for item in items {
                    found.push(as_map(item, "element of `elementsYaml`")?);
                }
            }
            _ => return Err(Problem::Failed("`elementsYaml` is not a list".to_owned())),
        }
    }
    Ok(found.into_iter().map(|map| Element::known(map.into())).collect())
}

fn as_map(value: &Value, what: &str) -> Result<Map<String, Value>, Problem> {
    match value {
        Value::Object(map) => Ok(map.clone()),
        Value::Null => Ok(Map::new()),
        _ => Err(Problem::Failed(format!("a {what} is not a map"))),
    }
}

/// Parameters for plain templates, which see only texts. The entries of `values` become parameters `values.KEY`.
fn texts(element: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    let mut found = Map::new();
    let text = |value: Value, key: &str| match value {
        Value::String(_) => Ok(value),
        _ => Err(Problem::Failed(format!("list element: `{key}` is not a text, and `goTemplate` is not set"))),
    };
    for (key, value) in element {
        if key == "values" {
            let Value::Object(values) = value else {
                return Err(Problem::Failed("list element: `values` is not a map".to_owned()));
            };
            for (key, value) in values {
                let key = format!("values.{key}");
                found.insert(key.clone(), text(value, &key)?);
            }
        } else {
            found.insert(key.clone(), text(value, &key)?);
        }
    }
    Ok(found)
}
