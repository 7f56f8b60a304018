//! Sprig's `default` and related functions, and functions that return the type of a value.

use super::{Call, Function, function};
use crate::error::{Result, failed};
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("all", "A*", |call| Ok(Value::Bool(!call.arguments.iter().any(Value::is_empty)))),
    function("any", "A*", |call| Ok(Value::Bool(!call.arguments.iter().all(Value::is_empty)))),
    function("coalesce", "A*", |call| {
        Ok(call.arguments.iter().find(|value| !value.is_empty()).cloned().unwrap_or(Value::Nil))
    }),
    function("deepCopy", "a", deep_copy),
    function("deepEqual", "aa", |call| Ok(Value::Bool(call.any(0).equals(call.any(1))))),
    function("default", "AA*", |call| Ok(call.any(usize::from(!call.any(1).is_empty())).clone())),
    function("empty", "A", |call| Ok(Value::Bool(call.any(0).is_empty()))),
    function("fail", "s", |call| failed(call.text(0))),
    function("hello", "", |_| Ok(Value::text("Hello!"))),
    function("kindIs", "sA", |call| Ok(Value::Bool(call.text(0) == call.any(1).kind()))),
    function("kindOf", "A", |call| Ok(Value::text(call.any(0).kind()))),
    function("mustDeepCopy", "a", deep_copy),
    function("ternary", "AAb", |call| Ok(call.any(usize::from(!call.bool(2))).clone())),
    function("typeIs", "sA", |call| Ok(Value::Bool(call.text(0) == call.any(1).type_name()))),
    function("typeIsLike", "sA", |call| {
        let name = call.any(1).type_name();
        Ok(Value::Bool(call.text(0) == name || Some(call.text(0)) == name.strip_prefix('*')))
    }),
    function("typeOf", "A", |call| Ok(Value::text(call.any(0).type_name()))),
];

fn deep_copy(call: &Call<'_>) -> Result<Value> {
    if matches!(call.any(0), Value::Nil) { failed("nothing to copy") } else { Ok(call.any(0).deep_copy()) }
}
