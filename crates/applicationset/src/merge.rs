//! The generator `merge`: the elements of the first generator, overlaid with the elements of the other generators
//! that have the same merge keys (`applicationset/generators/merge.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::element::{Element, Origin};
use super::{Context, Generate, Parameters, Problem, parameters};

/// The elements of a generator by the JSON of their merge keys.
type ByKey = BTreeMap<String, Element>;

/// The elements of the first generator, after merging.
pub(super) fn elements(spec: &Value, context: &Context<'_>, generate: &Generate<'_>) -> Result<Vec<Element>, Problem> {
    let generators = spec["generators"].as_array().map_or(&[][..], Vec::as_slice);
    if generators.len() < 2 {
        return Err(failed("found less than two generators, Merge requires two or more"));
    }
    let keys: Vec<&str> = spec["mergeKeys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if keys.is_empty() {
        return Err(failed("no merge keys were specified, Merge requires at least one"));
    }
    let mut all = Vec::new();
    for generator in generators {
        all.push(generate(generator, &Parameters::default())?);
    }
    let is_go = context.templates.is_go();
    let is_unknown = |elements: &[Element]| elements.iter().any(|element| element.origin == Origin::Placeholder);
    let (unknown, known): (Vec<_>, Vec<_>) = all.iter().skip(1).partition(|elements| is_unknown(elements));
    let mut others = Vec::new();
    for elements in known {
        others.push(by_key(elements, &keys)?);
    }
    let mut base = match &all[0] {
        first if is_unknown(first) => match assumed(first, &others, &keys) {
            base if base.is_empty() => return Ok(first.clone()),
            base => base,
        },
        first => by_key(first, &keys)?,
    };
    for other in &others {
        for (key, element) in &mut base {
            if let Some(over) = other.get(key) {
                lay(&mut element.parameters, &over.parameters, is_go)?;
                element.origin = element.origin.with(over.origin);
            }
        }
    }
    for placeholder in unknown.into_iter().flatten() {
        for element in base.values_mut() {
            let known = std::mem::replace(&mut element.parameters, placeholder.parameters.clone());
            lay(&mut element.parameters, &known, is_go)?;
            element.origin = Origin::Assumed;
        }
    }
    Ok(base.into_values().collect())
}

fn failed(message: &str) -> Problem {
    Problem::Failed(message.to_owned())
}

/// Lays parameters over others: deeply with Go templates, key by key without.
fn lay(under: &mut Parameters, over: &Parameters, is_go: bool) -> Result<(), Problem> {
    if is_go {
        return parameters::lay_over(under, over);
    }
    under.extend(over.iter().map(|(key, value)| (key.clone(), value.clone())));
    Ok(())
}

fn by_key(elements: &[Element], keys: &[&str]) -> Result<ByKey, Problem> {
    let mut found = ByKey::new();
    for element in elements {
        let key = key_of(&element.parameters, keys);
        if found.insert(key.clone(), element.clone()).is_some() {
            let rule = "the parameters from a generator were not unique by the given mergeKeys, Merge requires all param sets to be unique";
            return Err(failed(&format!("{rule}. Duplicate key was {key}")));
        }
    }
    Ok(found)
}

fn key_of(parameters: &Parameters, keys: &[&str]) -> String {
    let values: Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), as_float(parameters.get(*key).unwrap_or(&Value::Null)))).collect();
    Value::Object(values).to_string()
}

/// Go reads each number as a float, so 1 and 1.0 are the same merge key.
fn as_float(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            number.as_f64().and_then(Number::from_f64).map_or_else(|| value.clone(), Value::Number)
        }
        Value::Array(items) => items.iter().map(as_float).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), as_float(value))).collect(),
        other => other.clone(),
    }
}

/// Elements for clusters that are unknown: one for each merge key of another generator.
fn assumed(placeholders: &[Element], others: &[ByKey], keys: &[&str]) -> ByKey {
    let mut found = ByKey::new();
    for placeholder in placeholders {
        for (key, element) in others.iter().flatten() {
            let mut parameters = placeholder.parameters.clone();
            for key in keys {
                parameters.extend(element.parameters.get(*key).map(|value| ((*key).to_owned(), value.clone())));
            }
            found.entry(key.clone()).or_insert(Element { parameters, origin: Origin::Assumed });
        }
    }
    found
}
