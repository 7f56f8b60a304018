//! The functions of Go's `path`. On systems with `/` in paths, `path/filepath` does the same.

use super::{Function, function};
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("base", "s", |call| Ok(Value::text(base(call.text(0))))),
    function("clean", "s", |call| Ok(Value::text(clean(call.text(0))))),
    function("dir", "s", |call| Ok(Value::text(dir(call.text(0))))),
    function("ext", "s", |call| Ok(Value::text(ext(call.text(0))))),
    function("isAbs", "s", |call| Ok(Value::Bool(call.text(0).starts_with('/')))),
    function("osBase", "s", |call| Ok(Value::text(base(call.text(0))))),
    function("osClean", "s", |call| Ok(Value::text(clean(call.text(0))))),
    function("osDir", "s", |call| Ok(Value::text(dir(call.text(0))))),
    function("osExt", "s", |call| Ok(Value::text(ext(call.text(0))))),
    function("osIsAbs", "s", |call| Ok(Value::Bool(call.text(0).starts_with('/')))),
];

fn base(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    match bare.rsplit('/').next() {
        _ if path.is_empty() => ".",
        Some(name) if !name.is_empty() => name,
        _ => "/",
    }
}

fn dir(path: &str) -> String {
    clean(&path[..path.rfind('/').map_or(0, |at| at + 1)])
}

fn ext(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or("", |at| &name[at..])
}

fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
