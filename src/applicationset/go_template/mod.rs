//! Go templates. Not implemented yet: a text with `{{` is a function that is not there.

use super::Parameters;

/// Why a template gives no text.
#[derive(Debug)]
#[allow(dead_code, reason = "what renders is not here yet")]
pub(super) enum Error {
    /// It calls a function that is not implemented here.
    Function(String),
    /// Go could not render it either: its message.
    Failed(String),
}

/// What a template makes of parameters.
pub(super) fn render(template: &str, _parameters: &Parameters, _options: &[String]) -> Result<String, Error> {
    if template.contains("{{") { Err(Error::Function("goTemplate".to_owned())) } else { Ok(template.to_owned()) }
}
