//! A small JSON schema validator for the keywords that our schemas and SARIF's use. An unknown keyword is an error,
//! so that nothing goes unchecked.

use serde_json::Value as Json;

/// Keywords that do not affect whether a value is valid.
const NOTES: [&str; 9] =
    ["$schema", "$id", "title", "description", "default", "format", "definitions", "$defs", "additionalProperties"];

/// All faults of `value`, each with its path.
pub(crate) fn errors(root: &Json, value: &Json) -> Vec<String> {
    let mut errors = Vec::new();
    check(root, root, value, "$", &mut errors);
    errors
}

fn check(root: &Json, schema: &Json, value: &Json, path: &str, errors: &mut Vec<String>) {
    let Json::Object(words) = schema else {
        assert!(schema.is_boolean(), "no schema: {schema}");
        if schema == &Json::Bool(false) {
            errors.push(format!("{path}: not allowed"));
        }
        return;
    };
    for (word, said) in words.iter().filter(|(word, _)| !NOTES.contains(&word.as_str())) {
        if let Some(wrong) = one(root, (word, said), value, path, errors) {
            errors.push(format!("{path}: {wrong}: {value:.80}"));
        }
    }
    if let (Some(rest), Json::Object(map)) = (words.get("additionalProperties"), value) {
        let known = |key: &String| words.get("properties").is_some_and(|properties| properties.get(key).is_some());
        for (key, value) in map.iter().filter(|(key, _)| !known(key)) {
            check(root, rest, value, &format!("{path}.{key}"), errors);
        }
    }
}

/// Checks one keyword. Returns the fault, unless it is about a part of the value: then it is in `errors`.
fn one(root: &Json, (word, said): (&str, &Json), value: &Json, path: &str, errors: &mut Vec<String>) -> Option<String> {
    let wrong = |is_wrong: bool| is_wrong.then(|| format!("{word} {said}"));
    let fits = |schema: &&Json| {
        let mut errors = Vec::new();
        check(root, schema, value, path, &mut errors);
        errors.is_empty()
    };
    match word {
        "$ref" => {
            let target = root.pointer(said.as_str()?.strip_prefix('#').expect("a reference inside the schema"));
            check(root, target.expect("the schema has what it refers to"), value, path, errors);
            None
        }
        "type" => wrong(!is_type(said, value)),
        "const" => wrong(said != value),
        "enum" => wrong(!said.as_array()?.contains(value)),
        "anyOf" => wrong(!said.as_array()?.iter().any(|schema| fits(&schema))),
        "oneOf" => wrong(said.as_array()?.iter().filter(fits).count() != 1),
        "required" => {
            wrong(value.is_object() && said.as_array()?.iter().any(|key| value.get(key.as_str().unwrap()).is_none()))
        }
        "properties" => {
            for (key, schema) in said.as_object()? {
                if let Some(inner) = value.get(key) {
                    check(root, schema, inner, &format!("{path}.{key}"), errors);
                }
            }
            None
        }
        "propertyNames" => {
            for key in value.as_object()?.keys() {
                check(root, said, &Json::from(key.as_str()), &format!("{path}.{key}"), errors);
            }
            None
        }
        "items" => {
            for (index, item) in value.as_array()?.iter().enumerate() {
                check(root, said, item, &format!("{path}[{index}]"), errors);
            }
            None
        }
        "minItems" => wrong((value.as_array()?.len() as u64) < said.as_u64()?),
        "uniqueItems" => {
            let items = value.as_array()?;
            wrong(
                said == &Json::Bool(true)
                    && items.iter().enumerate().any(|(index, item)| items[..index].contains(item)),
            )
        }
        "minimum" => wrong(value.as_f64()? < said.as_f64()?),
        "maximum" => wrong(value.as_f64()? > said.as_f64()?),
        "minLength" => wrong((value.as_str()?.chars().count() as u64) < said.as_u64()?),
        "pattern" => wrong(!regex_lite::Regex::new(said.as_str()?).unwrap().is_match(value.as_str()?)),
        other => panic!("the validator does not know `{other}`"),
    }
}

fn is_type(said: &Json, value: &Json) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        other => panic!("the validator does not know the type `{other}`"),
    };
    match said {
        Json::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        name => is(name.as_str().unwrap()),
    }
}

#[test]
fn what_is_wrong_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "additionalProperties": false,
        "properties": {
            "a": { "oneOf": [{ "type": "integer", "minimum": 1, "maximum": 2 }, { "type": "string", "pattern": "^x" }] },
            "b": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "enum": [1, 2] } },
            "c": { "$ref": "#/$defs/c" },
            "e": { "propertyNames": { "pattern": "^k" } },
        },
        "$defs": { "c": { "type": ["string", "null"], "minLength": 2 } },
    });
    let valid = [r#"{"a":1}"#, r#"{"a":"xy","b":[1,2],"c":null}"#, r#"{"a":2,"c":"äö","e":{"k":1}}"#];
    let invalid = [
        "[]",
        "{}",
        r#"{"a":3}"#,
        r#"{"a":1.5}"#,
        r#"{"a":"y"}"#,
        r#"{"a":1,"d":1}"#,
        r#"{"a":1,"b":[]}"#,
        r#"{"a":1,"b":[1,1]}"#,
        r#"{"a":1,"b":[3]}"#,
        r#"{"a":1,"c":"ä"}"#,
        r#"{"a":1,"e":{"l":1}}"#,
    ];
    for text in valid {
        assert_eq!(errors(&schema, &serde_json::from_str(text).unwrap()), [""; 0], "{text}");
    }
    for text in invalid {
        assert!(!errors(&schema, &serde_json::from_str(text).unwrap()).is_empty(), "{text}");
    }
}
