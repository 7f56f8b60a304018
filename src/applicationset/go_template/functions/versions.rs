//! Sprig's functions for semantic versions.

use std::rc::Rc;

use super::{Function, function};
use crate::applicationset::go_template::semver::{Constraints, Version};
use crate::applicationset::go_template::value::Value;

pub(super) const TABLE: &[Function] = &[
    function("semver", "s", |call| Ok(Value::Version(Rc::new(Version::read(call.text(0))?)))),
    function("semverCompare", "ss", |call| {
        call.work.spend(1024 + 256 * call.text(0).len())?;
        let constraints = Constraints::read(call.text(0))?;
        Ok(Value::Bool(constraints.allow(&Version::read(call.text(1))?)))
    }),
];

/// The result of a method without arguments; `None` for other names.
pub(in crate::applicationset::go_template) fn method(version: &Version, name: &str) -> Option<Value> {
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
