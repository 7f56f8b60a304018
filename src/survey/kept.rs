//! What is kept of an object's value: what findings and previews look at, so that a survey of a large tree stays small and no content
//! of a Secret gets near a message.
//!
//! Whoever looks at more of an object than this has to keep it here.

use crate::kubernetes::{Object, pod};
use crate::yaml::Value;

/// Objects of these kinds are kept whole, as are Jobs, which are compared field by field, and pods that may name one; of others only
/// `apiVersion`, `kind` and `metadata`.
const WHOLE: [&str; 7] = [
    "RoleBinding",
    "ClusterRoleBinding",
    "PersistentVolumeClaim",
    "Certificate",
    "ExternalSecret",
    "VaultDynamicSecret",
    "VaultStaticSecret",
];

/// What is kept of an object.
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

/// True for pods with a word in a command line, or a variable, without which no finding takes it for the name of a Job.
fn may_name_a_job(object: &Object) -> bool {
    let names_one = |text: &str| text.contains("job") || text.contains("JOB");
    let says_so = |key: &str, value: &Value| match (key, value) {
        ("command" | "args", Value::List(words)) => words.iter().filter_map(Value::as_text).any(names_one),
        ("name", Value::String(name)) => names_one(name),
        _ => false,
    };
    pod::containers(object).iter().any(|container| container.value.find(&says_so).is_some())
}
