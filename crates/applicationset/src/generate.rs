//! The elements that a generator produces (`Transform` in `applicationset/generators/generator_spec_processor.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::element::{Element, Origin};
use super::selector::{Selector, Values};
use super::{Context, MAX_ELEMENTS, Parameters, Problem, clusters, git, list, matrix, merge, parameters};

/// The fields of generators, in the order in which Argo CD evaluates them.
const GENERATORS: [&str; 10] = [
    "list",
    "clusters",
    "git",
    "scmProvider",
    "clusterDecisionResource",
    "pullRequest",
    "matrix",
    "merge",
    "plugin",
    "oci",
];

/// The number of levels of `matrix` and `merge` that Argo CD's API allows within each other.
const MAX_NESTED: usize = 2;

/// For each generator in an item of `spec.generators`: its field and its elements.
pub(super) fn elements(item: &Value, context: &Context<'_>) -> Result<Vec<(&'static str, Vec<Element>)>, Problem> {
    of_item(item, MAX_NESTED, &Parameters::default(), context)
}

fn of_item(
    item: &Value,
    levels: usize,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Vec<(&'static str, Vec<Element>)>, Problem> {
    let selector = match &item["selector"] {
        Value::Null => None,
        selector => Some(Selector::read(selector, Values::Any).map_err(Problem::Failed)?),
    };
    let rendered;
    let item = match item.as_object() {
        Some(map) if !parameters.is_empty() => {
            rendered = Value::Object(interpolated(map, parameters, context)?);
            &rendered
        }
        _ => item,
    };
    let mut found = Vec::new();
    for field in GENERATORS {
        let is_known = field != "oci" || context.world.minor >= 6;
        if item[field].is_null() || !is_known || levels == 0 && ["matrix", "merge"].contains(&field) {
            continue;
        }
        let mut elements = of_generator(field, &item[field], levels, context)?;
        if elements.len() > MAX_ELEMENTS {
            return Err(super::too_many_elements());
        }
        if let Some(selector) = &selector {
            elements.retain(|element| is_selected(element, selector, context.world.minor));
        }
        found.push((field, elements));
    }
    Ok(found)
}

fn of_generator(field: &str, spec: &Value, levels: usize, context: &Context<'_>) -> Result<Vec<Element>, Problem> {
    let nested = |item: &Value, parameters: &Parameters| {
        let mut found = of_item(item, levels.saturating_sub(1), parameters, context)?;
        match (found.pop(), found.len()) {
            (Some((_, elements)), 0) => Ok(elements),
            (None, _) => Err(Problem::Failed("child generator generated no parameters".to_owned())),
            _ => Err(Problem::Failed("found more than one generator in one item of `generators`".to_owned())),
        }
    };
    match field {
        "list" => list::elements(spec, context),
        "clusters" => clusters::elements(spec, context),
        "git" => git::elements(spec, context),
        "matrix" => matrix::elements(spec, context, &nested),
        "merge" => merge::elements(spec, context, &nested),
        _ => Err(Problem::Asks(field.to_owned())),
    }
}

/// Whether a selector matches the flattened parameters of an element. Unknown parameters of a cluster count as
/// matching.
fn is_selected(element: &Element, selector: &Selector, minor: u16) -> bool {
    let labels: BTreeMap<String, String> = parameters::for_selectors(&element.parameters, minor).into_iter().collect();
    match element.origin {
        Origin::Known => selector.matches(&labels),
        Origin::Assumed | Origin::Placeholder => selector.may_match(&labels),
    }
}

/// An item of `generators`, rendered with the parameters of another generator (`RenderGeneratorParams`). Since 3.4, a
/// text below `values` that uses an unknown key stays as it is, because the generator itself may define that key.
fn interpolated(
    item: &Map<String, Value>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Map<String, Value>, Problem> {
    let mut whole = Map::new();
    for (field, spec) in item {
        let value = match spec.as_object() {
            Some(spec) if field != "selector" => Value::Object(of_spec(spec, parameters, context)?),
            _ => context.templates.value(spec, parameters)?,
        };
        whole.insert(field.clone(), value);
    }
    Ok(whole)
}

fn of_spec(
    spec: &Map<String, Value>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Map<String, Value>, Problem> {
    let templates = &context.templates;
    let mut whole = Map::new();
    // In Argo CD's API a `matrix` or `merge` that is inside another one has no template, and cannot contain a third
    // level.
    let is_nested = spec.contains_key("generators");
    for (key, value) in spec.iter().filter(|(key, _)| !is_nested || *key != "template") {
        let rendered = match value {
            Value::Array(items) if key == "generators" => {
                let items = items.iter().filter_map(Value::as_object).cloned();
                let items = items.map(|mut item| {
                    item.retain(|field, _| field != "matrix" && field != "merge");
                    Ok(Value::Object(interpolated(&item, parameters, context)?))
                });
                Value::Array(items.collect::<Result<_, Problem>>()?)
            }
            Value::Object(values) if key == "values" && context.world.minor >= 4 => {
                let mut known = Map::new();
                for (key, value) in values {
                    let text = value.as_str().unwrap_or_default();
                    let rendered = templates.text_if_known(text, parameters)?;
                    known.insert(key.clone(), rendered.unwrap_or_else(|| text.to_owned()).into());
                }
                Value::Object(known)
            }
            _ => templates.value(value, parameters)?,
        };
        whole.insert(key.clone(), rendered);
    }
    Ok(whole)
}
