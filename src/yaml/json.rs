//! Values as JSON on one line.

use std::fmt::Write;

use super::number;
use super::quote::write_text;
pub use super::quote::{Form, push, quote};
use super::value::Value;

/// `value` on one line; maps sorted by the bytes of their keys, no white space.
pub fn print(value: &Value, form: Form) -> String {
    let mut out = String::new();
    write(value, form, &mut out);
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
