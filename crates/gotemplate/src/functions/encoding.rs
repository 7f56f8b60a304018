//! Functions for JSON, YAML, Base64 and digests.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use goyaml::{RefusedBy, block, number};
use serde_json::Value as Json;
use sha2::{Digest, Sha256, Sha512};
use text::hexadecimal;

use super::{Call, Function, function};
use crate::error::{Error, Result, failed, too_large, unknown};
use crate::format::print;
use crate::value::{Entries, Value};

pub(super) const TABLE: &[Function] = &[
    function("adler32sum", "s", |call| {
        let sums = call.text(0).bytes().fold((1_u32, 0_u32), |(one, two), byte| {
            let one = (one + u32::from(byte)) % 65521;
            (one, (two + one) % 65521)
        });
        Ok(Value::text((sums.1 << 16 | sums.0).to_string()))
    }),
    function("b64dec", "s", |call| {
        let bare = call.text(0).replace(['\r', '\n'], "");
        match BASE64.decode(bare).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(text) => Ok(Value::text(text)),
            None => unknown("a value that is not valid Base64 text"),
        }
    }),
    function("b64enc", "s", |call| Ok(Value::text(BASE64.encode(call.text(0))))),
    function("fromJson", "s", |call| match from_json(call) {
        Err(Error::Failed(_)) => Ok(Value::Nil),
        other => other,
    }),
    function("fromYaml", "s", |call| match from_yaml(call)? {
        json @ Json::Object(_) => Ok(Value::from_json(&json)),
        // Go leaves the map unchanged for null, and it is empty.
        Json::Null => Ok(Value::map(Entries::new())),
        _ => failed("json: cannot unmarshal into a map"),
    }),
    function("fromYamlArray", "s", |call| match from_yaml(call)? {
        json @ Json::Array(_) => Ok(Value::from_json(&json)),
        Json::Null => Ok(Value::list(Vec::new())),
        _ => failed("json: cannot unmarshal into a list"),
    }),
    function("mustFromJson", "s", from_json),
    function("mustToJson", "a", |call| json(call, Layout { is_pretty: false, escapes: true })),
    function("mustToPrettyJson", "a", |call| json(call, Layout { is_pretty: true, escapes: true })),
    function("mustToRawJson", "a", |call| json(call, Layout { is_pretty: false, escapes: false })),
    function("sha256sum", "s", |call| Ok(Value::text(hexadecimal(&Sha256::digest(call.text(0)))))),
    function("sha512sum", "s", |call| Ok(Value::text(hexadecimal(&Sha512::digest(call.text(0)))))),
    function("toJson", "a", |call| {
        json(call, Layout { is_pretty: false, escapes: true }).or_else(|_| Ok(Value::text("")))
    }),
    function("toPrettyJson", "a", |call| {
        json(call, Layout { is_pretty: true, escapes: true }).or_else(|_| Ok(Value::text("")))
    }),
    function("toYaml", "a", |call| {
        // Convert the value to JSON first, as Go does.
        let Value::Text(text) = json(call, Layout { is_pretty: false, escapes: true })? else {
            return unknown("");
        };
        call.work.text(text.len(), 16)?;
        let value = read_yaml(&text)?;
        let printed = block::print(&value).map_or_else(|| unknown("characters beyond U+FFFF"), Ok)?;
        Ok(Value::text(printed.strip_suffix('\n').unwrap_or(&printed)))
    }),
    function("toRawJson", "a", |call| json(call, Layout { is_pretty: false, escapes: false })),
];

const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// A text that `serde_json` refuses although Go may accept it counts as not implemented.
fn from_json(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0);
    call.work.text(text.len(), 16)?;
    match serde_json::from_str(text) {
        Ok(json) => Ok(Value::from_json(&json)),
        Err(error)
            if text.contains("\\u")
                || error.to_string().contains("recursion")
                || error.to_string().contains("out of range") =>
        {
            unknown("JSON that Go may read")
        }
        Err(error) => failed(error.to_string()),
    }
}

fn read_yaml(text: &str) -> Result<goyaml::Value> {
    goyaml::Value::read(text)
        .or_else(|error| if error.by == RefusedBy::Limit { too_large(error.message) } else { failed(error.message) })
}

fn from_yaml(call: &Call<'_>) -> Result<Json> {
    call.work.text(call.text(0).len(), 16)?;
    let json = goyaml::json::print(&read_yaml(call.text(0))?, goyaml::json::Form::Stream);
    serde_json::from_str(&json).or_else(|_| unknown("such a text"))
}

#[derive(Clone, Copy)]
struct Layout {
    is_pretty: bool,
    /// Whether `<`, `>` and `&` are escaped.
    escapes: bool,
}

fn json(call: &Call<'_>, layout: Layout) -> Result<Value> {
    let mut out = String::new();
    write_json(call, call.any(0), layout, 0, &mut out)?;
    Ok(Value::text(out))
}

fn write_json(call: &Call<'_>, value: &Value, layout: Layout, depth: usize, out: &mut String) -> Result<()> {
    match value {
        _ if value.is_nil() => out.push_str("null"),
        Value::Bool(found) => out.push_str(&found.to_string()),
        Value::Float(found) if !found.is_finite() => return failed("json: unsupported value"),
        Value::Float(found) => out.push_str(&number::print_float(*found)),
        Value::Text(text) => json_text(text, layout, out),
        Value::Version(version) => json_text(&version.print(), layout, out),
        Value::List(list) => {
            let items = list.items();
            let write = |at: usize, out: &mut String| write_json(call, &items[at], layout, depth + 1, out);
            write_items(call, ['[', ']'], items.len(), layout, depth, out, write)?;
        }
        Value::Map(map) => {
            let entries: Vec<_> = map.entries().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            let write = |at: usize, out: &mut String| {
                json_text(&entries[at].0, layout, out);
                out.push_str(if layout.is_pretty { ": " } else { ":" });
                write_json(call, &entries[at].1, layout, depth + 1, out)
            };
            write_items(call, ['{', '}'], entries.len(), layout, depth, out, write)?;
        }
        other => out.push_str(&print(other)),
    }
    Ok(())
}

fn write_items(
    call: &Call<'_>,
    brackets: [char; 2],
    count: usize,
    layout: Layout,
    depth: usize,
    out: &mut String,
    write: impl Fn(usize, &mut String) -> Result<()>,
) -> Result<()> {
    let line = |depth: usize, out: &mut String| {
        if layout.is_pretty && count > 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    out.push(brackets[0]);
    for at in 0..count {
        call.work.spend(if layout.is_pretty { 2 * depth } else { 1 })?;
        if at > 0 {
            out.push(',');
        }
        line(depth + 1, out);
        write(at, out)?;
    }
    line(depth, out);
    out.push(brackets[1]);
    Ok(())
}

fn json_text(text: &str, layout: Layout, out: &mut String) {
    out.push('"');
    for found in text.chars() {
        match found {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '<' | '>' | '&' if !layout.escapes => out.push(found),
            '<' | '>' | '&' | '\0'..'\x20' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(found)))
            }
            _ => out.push(found),
        }
    }
    out.push('"');
}
