//! The elements that generators make: a set of parameters each.

use serde_json::Value;

use super::Parameters;

/// Where the parameters of an element come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// All are known.
    Known,
    /// Some are placeholders of a cluster's.
    Assumed,
    /// It stands for clusters that nobody named.
    Placeholder,
}

impl Origin {
    /// Of an element that is made of two.
    pub(super) fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Assumed }
    }
}

/// An element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    pub(super) parameters: Parameters,
    pub(super) origin: Origin,
}

impl Element {
    /// An element whose parameters are all known.
    pub(super) fn known(parameters: Parameters) -> Self {
        Self { parameters, origin: Origin::Known }
    }
}

/// Lays `over` over parameters: maps are merged, everything else is replaced, also by `false`, `[]` and null (`mergo.Merge` with
/// `WithOverride`).
pub(super) fn lay_over(under: &mut Parameters, over: &Parameters) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Object(under)), Value::Object(over)) => lay_over(under, over),
            (Some(under), _) => under.clone_from(value),
            (None, _) => {
                under.insert(key.clone(), value.clone());
            }
        }
    }
}

/// About how many bytes parameters take.
pub(super) fn size(parameters: &Parameters) -> usize {
    parameters.iter().map(|(key, value)| key.len() + size_of::<Value>() + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size_of::<Value>() + size_of_value(item)).sum(),
        Value::Object(map) => size(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
