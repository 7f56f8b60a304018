//! New entries of maps, and their text in a flow map.

use super::super::json;
use super::super::node::Node;
use super::super::path::Step;
use super::super::value::Value;
use super::scalar::{self, Context};

/// A new entry of a map.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: NewValue,
}

pub(super) enum NewValue {
    One(Value),
    Map(Vec<Entry>),
}

impl Entry {
    /// An entry with one value. None if `step` is an item of a list.
    pub(super) fn one(step: &Step, value: &Value) -> Option<Self> {
        match step {
            Step::Key(key) => Some(Self { key: key.to_string(), value: NewValue::One(value.clone()) }),
            Step::Item(_) => None,
        }
    }
}

/// Whether the entry names the object in `metadata`. New entries are inserted after it.
pub(super) fn is_name((key, _): &(Node<'_>, Node<'_>)) -> bool {
    key.is_key("name") || key.is_key("generateName")
}

/// The entries as a flow map.
pub(super) fn flow_map(entries: &[Entry]) -> String {
    format!("{{{}}}", flow_entries(entries, ", "))
}

/// The entries of a flow map, without its brackets.
pub(super) fn flow_entries(entries: &[Entry], separator: &str) -> String {
    let texts: Vec<String> = entries
        .iter()
        .map(|entry| {
            let value = match &entry.value {
                NewValue::One(value) => json::print(value, json::Form::Stream),
                NewValue::Map(inside) => flow_map(inside),
            };
            format!("{}: {value}", scalar::key(&entry.key, Context::Flow))
        })
        .collect();
    texts.join(separator)
}
