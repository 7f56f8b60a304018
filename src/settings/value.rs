//! Values: what a layer has written, and what a parameter makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

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
    Items(Items),
    /// Content hashes by `namespace/name` or `name`.
    Hashes(BTreeMap<String, String>),
    /// `true` or `false`.
    Switch(Switch),
    /// Of `prune`.
    Prune(Prune),
    /// Of `source`.
    Source(SourceKind),
}

/// A list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items {
    /// As they were written.
    pub written: Vec<String>,
    /// To find one of them.
    pub set: Arc<BTreeSet<String>>,
}

impl From<Vec<String>> for Items {
    fn from(written: Vec<String>) -> Self {
        let set = Arc::new(written.iter().cloned().collect());
        Self { written, set }
    }
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
            Self::Items(items) => Shown::List(items.written.clone()),
            Self::Hashes(hashes) => Shown::Map(hashes.clone()),
            Self::Switch(Switch::On) => Shown::Text("true".to_owned()),
            Self::Switch(Switch::Off) => Shown::Text("false".to_owned()),
            Self::Prune(Prune::Default) => Shown::Text("default".to_owned()),
            Self::Prune(Prune::Keep) => Shown::Text("keep".to_owned()),
            Self::Source(source) => Shown::Text(source.id().to_owned()),
        }
    }
}

impl Value {
    /// On one line, for people: at most `most` characters, and `…` in the place of the rest. Takes time for those characters only.
    pub fn brief(&self, most: usize) -> Brief<'_> {
        Brief { value: self, most }
    }
}

/// Shows a value, cut when it is long.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'v> {
    value: &'v Value,
    most: usize,
}

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most;
        let text = match self.value {
            Value::Items(items) => joined(items.written.iter().map(ToOwned::to_owned), ",", most),
            Value::Hashes(hashes) => joined(hashes.iter().map(|(name, hash)| format!("{name}: {hash}")), ", ", most),
            other => other.shown().to_string(),
        };
        match text.char_indices().nth(most) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}

/// Joins the parts with `between`, and stops once there are certainly more than `most` characters.
fn joined(parts: impl Iterator<Item = String>, between: &str, most: usize) -> String {
    let mut text = String::new();
    for (index, part) in parts.enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        text.push_str(&part);
        // A character has four bytes at most.
        if text.len() > 4 * most {
            break;
        }
    }
    text
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
