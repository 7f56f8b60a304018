//! Writes new scalars in the style of the scalars that they replace.

use std::borrow::Cow;

use super::super::json;
use super::super::parser::Style;
use super::super::resolve::{self, Scalar};
use super::super::value::Value;

/// The layout that a scalar is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Block,
    Flow,
}

/// A value as text, in the style of the scalar that it replaces. Pass `Style::Plain` for a new scalar: it is quoted where necessary.
pub(super) fn write(value: &Value, context: Context, style: Style) -> String {
    let Value::String(text) = value else { return json::print(value, json::Form::Stream) };
    let quotes_fit = style == Style::SingleQuoted && !text.contains(['\'', '\n', '\r']) && text.is_ascii();
    match style {
        Style::SingleQuoted if quotes_fit => format!("'{text}'"),
        Style::Plain if context == Context::Block && is_plain(text) => text.to_string(),
        Style::Plain if is_plain(text) && !text.contains(',') => text.to_string(),
        _ => json::quote(text),
    }
}

/// A key as text.
pub(super) fn key(name: &str, context: Context) -> String {
    if context == Context::Block && is_plain(name) { name.to_owned() } else { json::quote(name) }
}

/// Whether every YAML reader reads the unquoted text as this text.
fn is_plain(text: &str) -> bool {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/=,-".contains(&byte));
    is_word
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.contains(|found: char| found.is_ascii_alphabetic())
        && !text.starts_with(|first: char| first.is_ascii_digit() && looks_like_number(text))
        && resolve::plain(text) == Scalar::Text(Cow::Borrowed(text))
}

/// Whether some reader takes the text for a number although Argo CD does not: `0o17`, but not `1e3-…`.
fn looks_like_number(text: &str) -> bool {
    !text.contains('-') || text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TtZz".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, context: Context, style: Style) -> String {
        write(&Value::String(text.into()), context, style)
    }

    #[test]
    fn a_text_is_plain_where_every_reader_takes_it_for_a_text() {
        for text in ["migrate", "v1.2", "a/b", "1e3-abc", "2026-q1", "a=b"] {
            assert_eq!(written(text, Context::Block, Style::Plain), text);
            assert_eq!(key(text, Context::Block), text);
        }
        // The first two are numbers in YAML 1.2, the third is a date in YAML 1.1. `5m` would be safe, but is quoted for simplicity.
        for text in ["1e400", "0o8", "2026-01-02Z", "5m", "yes", "12", "1-2", "", "-a", "a b", "é"] {
            assert_eq!(written(text, Context::Block, Style::Plain), format!("\"{text}\""));
            assert_eq!(key(text, Context::Block), format!("\"{text}\""));
        }
    }

    #[test]
    fn a_comma_in_brackets_and_a_key_in_brackets_are_quoted() {
        assert_eq!(written("a,b", Context::Block, Style::Plain), "a,b");
        assert_eq!(written("a,b", Context::Flow, Style::Plain), "\"a,b\"");
        assert_eq!(written("a", Context::Flow, Style::Plain), "a");
        assert_eq!(key("a", Context::Flow), "\"a\"");
    }

    #[test]
    fn single_quotes_stay_where_they_need_no_escape() {
        assert_eq!(written("yes", Context::Block, Style::SingleQuoted), "'yes'");
        for (text, quoted) in
            [("it's", "\"it's\""), ("a\nb", "\"a\\u000ab\""), ("a\rb", "\"a\\u000db\""), ("é", "\"é\"")]
        {
            assert_eq!(written(text, Context::Block, Style::SingleQuoted), quoted);
        }
    }
}
