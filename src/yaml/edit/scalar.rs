//! New scalars, in the style of what they replace.

use std::borrow::Cow;

use super::super::json;
use super::super::parser::Style;
use super::super::resolve::{self, Scalar};
use super::super::value::Value;

/// Where the scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Block,
    Flow,
}

/// A value as text. `style` is that of the scalar it replaces; a new one is plain where that is safe.
pub(super) fn write(value: &Value, context: Context, style: Style) -> String {
    let Value::String(text) = value else { return json::print(value, json::Form::Stream) };
    let quotes_fit = style == Style::SingleQuoted && !text.contains(['\'', '\n', '\r']) && text.is_ascii();
    match style {
        Style::SingleQuoted if quotes_fit => format!("'{text}'"),
        Style::Plain if context == Context::Block && is_plain(text) => text.clone(),
        Style::Plain if is_plain(text) && !text.contains(',') => text.clone(),
        _ => json::quote(text),
    }
}

/// A key as text.
pub(super) fn key(name: &str, context: Context) -> String {
    if context == Context::Block && is_plain(name) { name.to_owned() } else { json::quote(name) }
}

/// True for a text that every YAML reader reads as this text without quotes.
fn is_plain(text: &str) -> bool {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/=,-".contains(&byte));
    is_word
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.contains(|found: char| found.is_ascii_alphabetic())
        && !text.starts_with(|first: char| first.is_ascii_digit() && looks_like_number(text))
        && resolve::plain(text) == Scalar::Text(Cow::Borrowed(text))
}

/// True for a text that some reader takes for a number, though Argo CD's does not: `0o17`, but not `1e3-…`.
fn looks_like_number(text: &str) -> bool {
    !text.contains('-') || text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TtZz".contains(&byte))
}
