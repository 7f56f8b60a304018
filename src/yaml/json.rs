//! Values as JSON on one line.

use super::number;
use super::value::Value;

/// Which characters are escaped, and what becomes of nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be read by Argo CD, as JSON or as YAML: also escapes what YAML's reader refuses or takes for a line break.
    Stream,
    /// The preimage of the content hash (version 1): raw UTF-8, null entries of maps left out.
    Canonical,
}

/// `value` on one line; maps sorted by the bytes of their keys, no white space.
pub fn print(value: &Value, form: Form) -> String {
    let mut out = String::new();
    write(value, form, &mut out);
    out
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_text(text, Form::Stream, &mut out);
    out
}

fn write(value: &Value, form: Form, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(found) => out.push_str(if *found { "true" } else { "false" }),
        Value::Int(found) => out.push_str(&found.to_string()),
        Value::Float(found) => out.push_str(&number::print_float(*found)),
        Value::String(text) => write_text(text, form, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, form, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            let entries = map.iter().filter(|(_, value)| form == Form::Stream || **value != Value::Null);
            for (index, (key, value)) in entries.enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(key, form, out);
                out.push(':');
                write(value, form, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, form: Form, out: &mut String) {
    out.push('"');
    for found in text.chars() {
        match found {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\x1f' => escape(found, out),
            '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
                if form == Form::Stream =>
            {
                escape(found, out);
            }
            _ => out.push(found),
        }
    }
    out.push('"');
}

fn escape(found: char, out: &mut String) {
    out.push_str(&format!("\\u{:04x}", u32::from(found)));
}
