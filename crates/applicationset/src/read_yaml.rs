//! Reads YAML inside a text of a set, as `sigs.k8s.io/yaml` does.

use goyaml::json::{self, Form};
use serde_json::Value;

/// The value of the first document. The error is a message without a place.
pub(super) fn read_yaml(text: &str) -> Result<Value, String> {
    let value = goyaml::Value::read(text).map_err(|error| error.message)?;
    serde_json::from_str(&json::print(&value, Form::Stream)).map_err(|error| error.to_string())
}
