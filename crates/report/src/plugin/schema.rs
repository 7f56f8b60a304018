//! The JSON schema of `.argocd-jobs.yaml` (draft 2020-12), for editors and for checks before a commit.

use kube_jobs::argocd::Phase;
use lint::RULES;
use rewrite::hash;
use rewrite::settings::{Matcher, Parameter, Position, Type, ValueType, Word};
use serde_json::{Map, Value as Json, json};

/// The schema, indented for people to read.
pub fn schema() -> String {
    let mut properties = properties(Position::Application);
    properties.insert("rules".to_owned(), rules());
    properties.insert("ignore".to_owned(), ignore("for all resources"));
    let about = "the address of this schema, for editors; it has no effect";
    properties.insert("$schema".to_owned(), json!({ "type": "string", "description": about }));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "argocd-jobs: the config file .argocd-jobs.yaml",
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": properties,
    });
    format!("{schema:#}")
}

fn properties(position: Position) -> Map<String, Json> {
    Parameter::at(position).map(|parameter| (parameter.name.to_owned(), property(parameter))).collect()
}

fn property(parameter: &Parameter) -> Json {
    let mut property = match parameter.value_type {
        ValueType::Text { pattern: None } => json!({ "type": "string" }),
        ValueType::Text { pattern: Some(pattern) } => json!({ "type": "string", "pattern": pattern }),
        ValueType::Choice(known) => json!({ "type": "string", "enum": known }),
        ValueType::CommaList(known) => list_or_comma_list(known),
        ValueType::Number(least) => json!({ "type": "integer", "minimum": least, "maximum": i32::MAX }),
        ValueType::Switch => json!({ "type": "boolean" }),
        ValueType::List => json!({ "type": "array", "items": { "type": "string", "pattern": "^\\S+$" } }),
        ValueType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ValueType::Hashes => hashes(),
        ValueType::Map => texts(),
        ValueType::Block(found) => json!({ "anyOf": [of_type(&found.of()), { "type": "string" }] }),
    };
    property["description"] = json!(parameter.description());
    if !parameter.default.is_empty() {
        property["default"] = match parameter.value_type {
            ValueType::Switch => json!(parameter.default == "true"),
            ValueType::Number(_) => json!(parameter.default.parse::<i64>().ok()),
            // The other types have a text as default; a test checks that lists and maps have none.
            ValueType::Text { .. }
            | ValueType::Choice(_)
            | ValueType::CommaList(_)
            | ValueType::List
            | ValueType::Texts
            | ValueType::Hashes
            | ValueType::Map
            | ValueType::Block(_) => json!(parameter.default),
        };
    }
    property
}

/// The schema of `hook` and similar parameters: a list, or a text with commas and blanks as separators.
fn list_or_comma_list(known: &[&str]) -> Json {
    let one = format!("\\s*({})\\s*", known.join("|"));
    json!({ "anyOf": [
        { "type": "string", "pattern": format!("^[\\s,]*{one}(,({one})?)*$") },
        { "type": "array", "minItems": 1, "items": { "enum": known } },
    ] })
}

fn hashes() -> Json {
    let alphabet = String::from_utf8_lossy(hash::ALPHABET.as_slice()).into_owned();
    json!({
        "type": "object",
        "propertyNames": { "pattern": "^[^/]+(/[^/]+)?$" },
        "additionalProperties": { "type": "string", "pattern": format!("^[{alphabet}]{{{}}}$", hash::LENGTH) },
    })
}

fn texts() -> Json {
    json!({ "type": "object", "additionalProperties": { "type": "string" } })
}

/// The schema of a value in a block. It can be null, as in Argo CD.
fn of_type(of: &Type) -> Json {
    match of {
        Type::Text => json!({ "type": ["string", "null"] }),
        Type::Switch => json!({ "type": ["boolean", "null"] }),
        Type::PassCredentials => json!({ "enum": [false, null] }),
        Type::HelmVersion => json!({ "enum": ["", "v3", "v4", null] }),
        Type::Count => json!({ "type": ["integer", "string", "null"], "pattern": "^[-+]?[0-9]+$" }),
        Type::AnyMap => json!({ "type": ["object", "null"] }),
        Type::MapOf(of) => json!({ "type": ["object", "null"], "additionalProperties": of_type(of) }),
        Type::Fields(fields) => {
            let properties: Map<String, Json> =
                fields.iter().map(|(key, of)| ((*key).to_owned(), of_type(of))).collect();
            json!({ "type": ["object", "null"], "additionalProperties": false, "properties": properties })
        }
        Type::List(of) => {
            let mut item = of_type(of);
            // An item of a list cannot be null.
            if let Some(types) = item["type"].as_array_mut() {
                types.retain(|name| name != "null");
            }
            json!({ "type": ["array", "null"], "items": item })
        }
    }
}

/// The schema of a list of finding ids.
fn ignore(about: &str) -> Json {
    let ids: Vec<&str> = RULES.iter().map(|row| row.id).collect();
    json!({
        "description": format!("ids of findings that `check` ignores {about}"),
        "type": ["array", "null"],
        "items": { "enum": ids },
    })
}

fn rules() -> Json {
    let matchers: Map<String, Json> = Matcher::ALL
        .into_iter()
        .map(|matcher| {
            let mut property = match matcher {
                Matcher::Labels | Matcher::Annotations => texts(),
                Matcher::Hook => list_or_comma_list(Phase::WORDS),
                Matcher::Name | Matcher::Namespace => json!({ "type": "string", "minLength": 1 }),
            };
            property["description"] = json!(matcher.about());
            (matcher.key().to_owned(), property)
        })
        .collect();
    let mut properties = properties(Position::Rule);
    properties.insert(
        "ignore".to_owned(),
        ignore("for the Jobs that match, in addition to those of other matching rules and of the top level"),
    );
    properties.insert(
        "match".to_owned(),
        json!({
            "description": "which Jobs the rule is for; all conditions must hold, and `{}` matches every Job",
            "type": "object",
            "additionalProperties": false,
            "properties": matchers,
        }),
    );
    json!({
        "description": "settings for some Jobs; the first matching rule that sets a value wins",
        "type": ["array", "null"],
        "items": { "type": "object", "required": ["match"], "additionalProperties": false, "properties": properties },
    })
}
