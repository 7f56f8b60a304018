//! The generator `matrix`: combines each element of one generator with each element of another
//! (`applicationset/generators/matrix.go`).

use serde_json::Value;

use super::element::Element;
use super::printed::printed;
use super::{Context, Generate, MAX_ELEMENTS, Parameters, Problem, parameters};

/// The combined elements. The second generator is rendered with the parameters of each element of the first.
pub(super) fn elements(spec: &Value, context: &Context<'_>, generate: &Generate<'_>) -> Result<Vec<Element>, Problem> {
    let generators = spec["generators"].as_array().map_or(&[][..], Vec::as_slice);
    let [first, second] = generators else {
        let found = if generators.len() < 2 { "less" } else { "more" };
        return Err(Problem::Failed(format!("found {found} than two generators, Matrix support only two")));
    };
    let firsts = generate(first, &Parameters::default())?;
    // A generator without templates produces the same elements each time.
    let is_constant = !second.to_string().contains("{{");
    let mut constant = None;
    let mut found = Vec::new();
    for one in &firsts {
        let made;
        let seconds = match &constant {
            Some(seconds) => seconds,
            None if is_constant => constant.insert(generate(second, &one.parameters)?),
            None => {
                made = generate(second, &one.parameters)?;
                &made
            }
        };
        if found.len().saturating_add(seconds.len()) > MAX_ELEMENTS {
            return Err(super::too_many_elements());
        }
        for other in seconds {
            let combined = combined(one, other, context.templates.is_go())?;
            context.templates.spend(parameters::size(&combined))?;
            found.push(Element { parameters: combined, origin: one.origin.with(other.origin) });
        }
    }
    Ok(found)
}

/// Merges two elements. With Go templates the first element silently wins a conflict; with plain templates parameters
/// are texts, and a conflict is an error.
fn combined(first: &Element, second: &Element, is_go: bool) -> Result<Parameters, Problem> {
    if is_go {
        let mut whole = second.parameters.clone();
        parameters::lay_over(&mut whole, &first.parameters)?;
        return Ok(whole);
    }
    let mut whole = Parameters::default();
    for (key, value) in first.parameters.iter().chain(second.parameters.iter()) {
        let text = printed(value);
        let before = whole.insert(key.clone(), Value::String(text.clone()));
        if let Some(Value::String(before)) = before.filter(|before| *before != text) {
            let message = format!("found duplicate key `{key}` with different values: `{before}` and `{text}`");
            return Err(Problem::Failed(message));
        }
    }
    Ok(whole)
}
