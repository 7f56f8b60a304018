//! Values as JSON on one line.

use std::fmt::Write;

use super::number;
use super::value::Value;

/// Which characters are escaped, and whether nulls are printed.
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

/// Writes what [`print()`] prints to `out`, which must not fail: a text or a digest.
pub fn write(value: &Value, form: Form, out: &mut impl Write) {
    match value {
        Value::Null => push(out, "null"),
        Value::Bool(found) => push(out, if *found { "true" } else { "false" }),
        Value::Int(found) => push(out, &found.to_string()),
        Value::Float(found) => push(out, &number::print_float(*found)),
        Value::String(text) => write_text(text, form, out),
        Value::List(items) => {
            push(out, "[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    push(out, ",");
                }
                write(item, form, out);
            }
            push(out, "]");
        }
        Value::Map(map) => {
            push(out, "{");
            let entries = map.iter().filter(|(_, value)| form == Form::Stream || **value != Value::Null);
            for (index, (key, value)) in entries.enumerate() {
                if index > 0 {
                    push(out, ",");
                }
                write_text(key, form, out);
                push(out, ":");
                write(value, form, out);
            }
            push(out, "}");
        }
    }
}

/// Writes `text` to `out`, which must not fail, as for [`write()`].
pub fn push(out: &mut impl Write, text: &str) {
    // `out` does not fail, so there is no error to report.
    let _ = out.write_str(text);
}

fn write_text(text: &str, form: Form, out: &mut impl Write) {
    push(out, "\"");
    let mut done = 0;
    for (at, found) in text.char_indices().filter(|(_, found)| is_escaped(*found, form)) {
        push(out, &text[done..at]);
        match found {
            '"' => push(out, "\\\""),
            '\\' => push(out, "\\\\"),
            _ => push(out, &format!("\\u{:04x}", u32::from(found))),
        }
        done = at + found.len_utf8();
    }
    push(out, &text[done..]);
    push(out, "\"");
}

fn is_escaped(found: char, form: Form) -> bool {
    match found {
        '"' | '\\' | '\0'..='\x1f' => true,
        '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => form == Form::Stream,
        _ => false,
    }
}
