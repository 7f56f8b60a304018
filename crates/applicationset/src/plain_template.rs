//! Templates without `goTemplate`: `{{name}}` becomes the parameter `name` (`Replace` in `applicationset/utils/utils.go`, and fasttemplate).

use serde_json::Value;

use super::Parameters;

/// Why a template fails.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Error {
    /// A `{{` has no `}}` after it. Argo CD refuses such a template, too.
    NotClosed,
    /// The output would exceed the limit.
    TooLong,
}

/// Renders a template to at most `most` bytes. A name that is not a parameter, or whose value is not a text, stays as it
/// is written.
pub(super) fn render(template: &str, parameters: &Parameters, most: usize) -> Result<String, Error> {
    let mut text = String::new();
    let mut rest = template;
    let is_template =
        template.split('\n').any(|line| line.split_once("{{").is_some_and(|(_, rest)| rest.contains("}}")));
    while is_template && let Some((before, after)) = rest.split_once("{{") {
        let (tag, after) = after.split_once("}}").ok_or(Error::NotClosed)?;
        push(&mut text, before, most)?;
        match parameters.get(tag.trim()) {
            Some(Value::String(found)) if !tag.trim().is_empty() => push(&mut text, found, most)?,
            _ => push(&mut text, &format!("{{{{{tag}}}}}"), most)?,
        }
        rest = after;
    }
    push(&mut text, rest, most)?;
    Ok(text)
}

fn push(text: &mut String, more: &str, most: usize) -> Result<(), Error> {
    if text.len() + more.len() > most {
        return Err(Error::TooLong);
    }
    text.push_str(more);
    Ok(())
}
