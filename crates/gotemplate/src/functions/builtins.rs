//! Go's own functions (`text/template/funcs.go`), except `slice`, which sprig replaces.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{Call, Function, function, printf};
use crate::error::{Result, failed};
use crate::format::{is_print, print_all, write};
use crate::value::{Of, Value};

pub(super) const TABLE: &[Function] = &[
    // The execution calls these two itself, because they do not evaluate all arguments.
    function("and", "aa*", |_| failed("not called here")),
    function("or", "aa*", |_| failed("not called here")),
    function("call", "aa*", |_| failed("call of what is not a function")),
    function("eq", "aa*", |call| Ok(Value::Bool(equal_to_any(call)?))),
    function("ge", "aa", |call| Ok(Value::Bool(!less(call.any(0), call.any(1))?))),
    function("gt", "aa", |call| {
        Ok(Value::Bool(!(less(call.any(0), call.any(1))? || equal(call.any(0), call.any(1))?)))
    }),
    function("html", "a*", |call| Ok(Value::text(html(&printable(call))))),
    function("index", "Aa*", index),
    function("js", "a*", |call| Ok(Value::text(js(&printable(call))))),
    function("le", "aa", |call| Ok(Value::Bool(less(call.any(0), call.any(1))? || equal(call.any(0), call.any(1))?))),
    function("len", "A", length),
    function("lt", "aa", |call| Ok(Value::Bool(less(call.any(0), call.any(1))?))),
    function("ne", "aa", |call| Ok(Value::Bool(!equal(call.any(0), call.any(1))?))),
    function("not", "A", |call| Ok(Value::Bool(call.any(0).is_empty()))),
    function("print", "a*", |call| Ok(Value::text(print_all(call.arguments)))),
    function("printf", "sa*", printf::printf),
    function("println", "a*", |call| {
        let mut out = String::new();
        for (at, value) in call.arguments.iter().enumerate() {
            out.push_str(if at > 0 { " " } else { "" });
            write(value, &mut out);
        }
        Ok(Value::text(out + "\n"))
    }),
    function("urlquery", "a*", |call| Ok(Value::text(query(&printable(call))))),
];

/// The types that can be compared.
#[derive(PartialEq, PartialOrd)]
enum Basic<'v> {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(&'v str),
}

fn basic(value: &Value) -> Option<Basic<'_>> {
    Some(match value {
        Value::Bool(found) => Basic::Bool(*found),
        Value::Int(found) | Value::Int64(found) => Basic::Integer(i128::from(*found)),
        Value::Uint64(found) => Basic::Integer(i128::from(*found)),
        Value::Uint8(found) => Basic::Integer(i128::from(*found)),
        Value::Float(found) => Basic::Float(*found),
        Value::Text(text) => Basic::Text(text),
        _ => return None,
    })
}

fn incompatible<T>(one: &Value, two: &Value) -> Result<T> {
    failed(format!("incompatible types for comparison: {} and {}", one.type_name(), two.type_name()))
}

fn equal_to_any(call: &Call<'_>) -> Result<bool> {
    if call.arguments.len() < 2 {
        return failed("missing argument for comparison");
    }
    for other in call.rest(1) {
        if equal(call.any(0), other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(one: &Value, two: &Value) -> Result<bool> {
    let is_nothing = |value: &Value| matches!(value, Value::Absent | Value::Nil);
    match (basic(one), basic(two)) {
        (Some(first), Some(second)) if std::mem::discriminant(&first) == std::mem::discriminant(&second) => {
            Ok(first == second)
        }
        (None, None) if one.kind() != two.kind() && !is_nothing(one) && !is_nothing(two) => {
            failed("non-comparable types")
        }
        (None, None) if one.is_nil() || two.is_nil() => Ok(one.is_nil() == two.is_nil()),
        (None, None) => match (one, two) {
            (Value::Version(first), Value::Version(second)) => Ok(Rc::ptr_eq(first, second)),
            _ => failed("non-comparable type"),
        },
        _ if is_nothing(one) || is_nothing(two) => Ok(false),
        _ => incompatible(one, two),
    }
}

fn less(one: &Value, two: &Value) -> Result<bool> {
    match (basic(one), basic(two)) {
        (None, _) | (_, None) | (Some(Basic::Bool(_)), Some(Basic::Bool(_))) => failed("invalid type for comparison"),
        (Some(first), Some(second)) if std::mem::discriminant(&first) == std::mem::discriminant(&second) => {
            Ok(first.partial_cmp(&second) == Some(Ordering::Less))
        }
        _ => incompatible(one, two),
    }
}

fn index(call: &Call<'_>) -> Result<Value> {
    let mut value = call.any(0).clone();
    if matches!(value, Value::Nil) {
        return failed("index of untyped nil");
    }
    for key in call.rest(1) {
        value = match (&value, key) {
            (Value::List(list), _) => list.items()[place(key, list.items().len())?].clone(),
            (Value::Text(text), _) => Value::Uint8(text.as_bytes()[place(key, text.len())?]),
            (Value::Map(map), Value::Text(key)) => match (map.get(key), map.of) {
                (Some(found), _) => found,
                (None, Of::Text) => Value::text(""),
                (None, _) => Value::Nil,
            },
            (Value::Map(_), _) => return failed(format!("value has type {}; should be string", key.type_name())),
            (Value::Nil, _) => return failed("index of nil pointer"),
            (other, _) => return failed(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(value)
}

/// Converts an index, which must be less than `length`.
fn place(key: &Value, length: usize) -> Result<usize> {
    let Some(Basic::Integer(at)) = basic(key) else {
        return failed(format!("cannot index slice/array with type {}", key.type_name()));
    };
    match usize::try_from(at) {
        Ok(at) if at < length => Ok(at),
        _ => failed(format!("index out of range: {at}")),
    }
}

fn length(call: &Call<'_>) -> Result<Value> {
    let length = match call.any(0) {
        Value::Text(text) => text.len(),
        Value::List(list) => list.items().len(),
        Value::Map(map) => map.entries().len(),
        other => return failed(format!("len of type {}", other.type_name())),
    };
    Ok(Value::Int(length as i64))
}

/// The arguments of an escaping function as text: a nil as `<no value>`, as in a template.
fn printable(call: &Call<'_>) -> String {
    let shown = |value: &Value| if matches!(value, Value::Nil) { Value::text("<no value>") } else { value.clone() };
    print_all(&call.arguments.iter().map(shown).collect::<Vec<_>>())
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for found in text.chars() {
        match found {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push(found),
        }
    }
    out
}

fn js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for found in text.chars() {
        match found {
            '\\' | '\'' | '"' => out.extend(['\\', found]),
            '<' | '>' | '&' | '=' | '\0'..' ' => out.push_str(&format!("\\u{:04X}", u32::from(found))),
            '\u{80}'.. if !is_print(found) => out.push_str(&format!("\\u{:04X}", u32::from(found))),
            _ => out.push(found),
        }
    }
    out
}

/// `url.QueryEscape`.
fn query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
