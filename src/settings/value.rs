//! Values: what a layer has written, and what a parameter makes of it.

use std::collections::BTreeMap;
use std::fmt;

use super::SourceKind;
use crate::argocd::{HookDeletePolicy, Phase};
use crate::strategy::{Prune, STRATEGIES, Wanted};

/// The value of a parameter, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of `strategy`.
    Strategy(Wanted),
    /// Of `hook`.
    Phases(Vec<Phase>),
    /// Of `delete-policy`.
    DeletePolicies(Vec<HookDeletePolicy>),
    /// A whole number.
    Number(i64),
    /// Any text, or one that was checked.
    Text(String),
    /// A list of texts.
    Items(Vec<String>),
    /// Content hashes by `namespace/name` or `name`.
    Hashes(BTreeMap<String, String>),
    /// `true` or `false`.
    Switch(Switch),
    /// Of `prune`.
    Prune(Prune),
    /// Of `source`.
    Source(SourceKind),
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `true`
    On,
    /// `false`
    Off,
}

/// A value as it is announced to Argo CD and shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// One text.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// A map.
    Map(BTreeMap<String, String>),
}

/// A value as a layer has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// A text where there are only texts: it stands for a value of any type.
    Bare(String),
    /// A string, where other types can be written too.
    String(String),
    /// A whole number.
    Number(i64),
    /// A boolean.
    Bool(Switch),
    /// A list of strings.
    List(Vec<String>),
    /// A map of strings.
    Map(BTreeMap<String, String>),
    /// Something that no parameter takes, in words.
    Other(&'static str),
}

impl Written {
    /// In words, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Bare(_) | Self::String(_) => "a string",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Other(kind) => kind,
        }
    }
}

impl Value {
    /// As users write it.
    pub fn shown(&self) -> Shown {
        let join = |items: Vec<&'static str>| Shown::Text(items.join(","));
        match self {
            Self::Strategy(wanted) => {
                let row = STRATEGIES.iter().find(|row| row.wanted == *wanted);
                Shown::Text(row.map_or("", |row| row.id).to_owned())
            }
            Self::Phases(phases) => join(phases.iter().map(|phase| phase.as_str()).collect()),
            Self::DeletePolicies(policies) => join(policies.iter().map(|policy| policy.as_str()).collect()),
            Self::Number(number) => Shown::Text(number.to_string()),
            Self::Text(text) => Shown::Text(text.clone()),
            Self::Items(items) => Shown::List(items.clone()),
            Self::Hashes(hashes) => Shown::Map(hashes.clone()),
            Self::Switch(Switch::On) => Shown::Text("true".to_owned()),
            Self::Switch(Switch::Off) => Shown::Text("false".to_owned()),
            Self::Prune(Prune::Default) => Shown::Text("default".to_owned()),
            Self::Prune(Prune::Keep) => Shown::Text("keep".to_owned()),
            Self::Source(source) => Shown::Text(source.id().to_owned()),
        }
    }
}

/// For people: lists and maps on one line.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::List(items) => f.write_str(&items.join(",")),
            Self::Map(map) => {
                let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                f.write_str(&entries.join(", "))
            }
        }
    }
}
