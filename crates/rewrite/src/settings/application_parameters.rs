//! Reads the Application's `plugin.parameters`, which Argo CD passes in `ARGOCD_APP_PARAMETERS`: a JSON array of
//! objects with `name` and one of `string`, `array` or `map`. The variable is `null`, unset or empty when the
//! Application has no parameters.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::parameter::{Position, ValueType};
use super::parameters::{PARAMETERS, Parameter};
use super::set::set;
use super::value::RawValue;
use super::{Error, ErrorKind, Provenance, Settings};

/// The environment variable that holds the parameters.
pub(super) const VARIABLE: &str = "ARGOCD_APP_PARAMETERS";

pub(super) fn read(text: &str) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    if text.trim().is_empty() {
        return Ok(settings);
    }
    let json: Json = serde_json::from_str(text).map_err(|error| malformed(format!("invalid JSON: {error}")))?;
    let entries = match json {
        Json::Null => return Ok(settings),
        Json::Array(entries) => entries,
        other => return Err(malformed(format!("the JSON is {}, expected an array of parameters", kind(&other)))),
    };
    let mut names = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Some(name) = entry.get("name").and_then(Json::as_str) else {
            return Err(malformed(format!("item {index} is not an object with a `name`")));
        };
        let by = Provenance::ApplicationParameter(name.to_owned());
        if names.contains(&name) {
            return Err(Error::new(by, ErrorKind::Twice));
        }
        names.push(name);
        let written = value(entry, &by)?;
        // Argo CD's UI sends the announced values back: an empty text for a number or a block that nobody set.
        let is_unset = |known: &Parameter| matches!(known.value_type, ValueType::Number(_) | ValueType::Block(_));
        if written == RawValue::Bare(String::new()) && Parameter::find(name).is_some_and(is_unset) {
            continue;
        }
        let spell = |known: &Parameter| known.name.to_owned();
        set(&mut settings, name_of(name), Position::Application, &written, by, spell)?;
    }
    Ok(settings.with_fields())
}

/// Users of other plugins write the path of a field, such as `helm.valueFiles`: returns the name of the parameter for
/// it.
fn name_of(name: &str) -> &str {
    let path = name.split_once('.').and_then(|_| Parameter::find_path(name));
    let is_meant = |row: &&Parameter| row.id.field_of().map(|(block, field)| (block, Some(field))) == path;
    path.and_then(|_| PARAMETERS.iter().find(is_meant)).map_or(name, |row| row.name)
}

/// The value of an entry; an error unless it has exactly one of `string`, `array` and `map`.
fn value(entry: &Json, by: &Provenance) -> Result<RawValue, Error> {
    let given = |key: &str| entry.get(key).filter(|found| !found.is_null());
    let mut found = ["string", "array", "map"].into_iter().filter_map(|key| Some((key, given(key)?)));
    let wrong = |wrong: ErrorKind| Error::new(by.clone(), wrong);
    let (key, value) = found.next().ok_or_else(|| wrong(ErrorKind::NoValue))?;
    if found.next().is_some() {
        return Err(wrong(ErrorKind::TwoValues));
    }
    let text = |value: &Json, expected: &'static str| match value {
        Json::String(text) => Ok(text.clone()),
        other => Err(wrong(ErrorKind::Type { found: kind(other), expected })),
    };
    match (key, value) {
        ("array", Json::Array(items)) => {
            items.iter().map(|item| text(item, "a list of strings")).collect::<Result<_, _>>().map(RawValue::List)
        }
        ("map", Json::Object(map)) => {
            let entry = |(key, value): (&String, &Json)| Ok((key.clone(), text(value, "a map of strings")?));
            map.iter().map(entry).collect::<Result<BTreeMap<_, _>, Error>>().map(RawValue::Map)
        }
        ("string", value) => text(value, "a string").map(RawValue::Bare),
        ("array", value) => Err(wrong(ErrorKind::Type { found: kind(value), expected: "a list" })),
        (_, value) => Err(wrong(ErrorKind::Type { found: kind(value), expected: "a map" })),
    }
}

fn malformed(message: String) -> Error {
    Error::new(Provenance::ApplicationEnvironment(VARIABLE.to_owned()), ErrorKind::Malformed(message))
}

fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
