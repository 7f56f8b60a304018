//! Prints values as `fmt.Sprint` does.

use goyaml::number;

use super::value::Value;

/// Prints a value as `%v` does.
pub(super) fn print(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

pub(super) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Absent | Value::Nil => out.push_str("<nil>"),
        Value::Bool(found) => out.push_str(if *found { "true" } else { "false" }),
        Value::Int(found) | Value::Int64(found) => out.push_str(&found.to_string()),
        Value::Uint64(found) => out.push_str(&found.to_string()),
        Value::Uint8(found) => out.push_str(&found.to_string()),
        Value::Float(found) if !found.is_finite() => {
            out.push_str(if found.is_nan() {
                "NaN"
            } else if *found > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            });
        }
        Value::Float(found) => out.push_str(&number::print_shortest(*found)),
        Value::Text(text) => out.push_str(text),
        Value::Version(version) => out.push_str(&version.print()),
        Value::List(list) => {
            out.push('[');
            for (at, item) in list.items().iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push_str("map[");
            for (at, (key, item)) in map.entries().iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write(item, out);
            }
            out.push(']');
        }
    }
}

/// `fmt.Sprint` of several arguments: adds a space between two arguments when neither is a string.
pub(super) fn print_all(values: &[Value]) -> String {
    let mut out = String::new();
    for (at, value) in values.iter().enumerate() {
        let is_text = |value: &Value| matches!(value, Value::Text(_));
        if at > 0 && !is_text(value) && !is_text(&values[at - 1]) {
            out.push(' ');
        }
        write(value, &mut out);
    }
    out
}

/// `strconv.Quote`.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for found in text.chars() {
        match found {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\0'..' ' | '\x7f' => out.push_str(&format!("\\x{:02x}", u32::from(found))),
            _ if is_print(found) => out.push(found),
            '\0'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", u32::from(found))),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(found))),
        }
    }
    out.push('"');
    out
}

/// `unicode.IsPrint`.
pub(super) fn is_print(found: char) -> bool {
    match found {
        ' '..='~' => true,
        '\0'..='\x7f' => false,
        // Rust escapes a combining mark only at the start of a text: test it after a letter.
        _ => String::from_iter(['a', found]).escape_debug().count() == 2,
    }
}
