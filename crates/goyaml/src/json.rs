//! Prints values as JSON on one line.

use std::fmt::Write;

use super::number;
use super::quote::write_text;
pub use super::quote::{Form, push, quote};
use super::value::Value;

/// `value` as JSON on one line, without white space, with the keys of maps sorted by their bytes.
pub fn print(value: &Value, form: Form) -> String {
    let mut out = String::new();
    write(value, form, &mut out);
    out
}

/// Writes what [`print()`] returns to `out`: a text or a digest, to which writing cannot fail.
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
