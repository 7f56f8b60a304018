//! The functions of Go's `path`. On systems with `/` in paths, `path/filepath` does the same.

use gopath::{base, clean, dir, ext};

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
