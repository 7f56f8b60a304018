//! Sprig's functions for semantic versions.

use std::rc::Rc;

use super::{Function, function};
use crate::error::{Result, failed};
use crate::semver::{Constraints, Version};
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("semver", "s", |call| Ok(Value::Version(Rc::new(version(call.text(0))?)))),
    function("semverCompare", "ss", |call| {
        call.work.spend(1024 + 256 * call.text(0).len())?;
        let text = call.text(0);
        let constraints = Constraints::read(text).map_or_else(|| failed(format!("improper constraint: {text}")), Ok)?;
        Ok(Value::Bool(constraints.allow(&version(call.text(1))?)))
    }),
];

fn version(text: &str) -> Result<Version> {
    Version::read(text).map_or_else(|| failed("invalid semantic version"), Ok)
}

/// The result of a method without arguments; `None` for other names.
pub(crate) fn method(version: &Version, name: &str) -> Option<Value> {
    Some(match name {
        "Major" => Value::Uint64(version.numbers[0]),
        "Minor" => Value::Uint64(version.numbers[1]),
        "Patch" => Value::Uint64(version.numbers[2]),
        "Prerelease" => Value::text(version.prerelease.as_str()),
        "Metadata" => Value::text(version.metadata.as_str()),
        "Original" => Value::text(version.original.as_str()),
        "String" => Value::text(version.print()),
        _ => return None,
    })
}
