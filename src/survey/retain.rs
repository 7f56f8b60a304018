//! Chooses what is kept of an object's value: only what findings and previews read. A survey of a
//! large tree stays small, and the content of a Secret cannot reach a message.
//!
//! A rule that reads another field must retain it here.

use crate::kubernetes::{Object, pod};
use crate::yaml::Value;

/// Kinds that are kept whole. Jobs, which are compared field by field, and workloads whose commands
/// may name a Job are kept whole too; of other objects only `apiVersion`, `kind` and `metadata`.
const WHOLE: [&str; 7] = [
    "RoleBinding",
    "ClusterRoleBinding",
    "PersistentVolumeClaim",
    "Certificate",
    "ExternalSecret",
    "VaultDynamicSecret",
    "VaultStaticSecret",
];

/// Returns what is kept of an object.
pub(super) fn of(object: Object) -> Value {
    let is_whole = object.is_job() || WHOLE.contains(&object.kind()) || may_name_a_job(&object);
    match object.into_value() {
        Value::Map(mut map) if !is_whole => {
            map.retain(|key, _| matches!(key.as_str(), "apiVersion" | "kind" | "metadata"));
            Value::Map(map)
        }
        value => value,
    }
}

/// True for a workload with a word in a command line, or a variable, that can name a Job.
fn may_name_a_job(object: &Object) -> bool {
    let names_one = |text: &str| text.contains("job") || text.contains("JOB");
    let says_so = |key: &str, value: &Value| match (key, value) {
        ("command" | "args", Value::List(words)) => words.iter().filter_map(Value::as_text).any(names_one),
        ("name", Value::String(name)) => names_one(name),
        _ => false,
    };
    pod::containers(object).iter().any(|container| container.value.find(&says_so).is_some())
}
