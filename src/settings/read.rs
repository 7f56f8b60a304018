//! From what a layer has written to a value: one function for each shape of value.

use std::collections::BTreeMap;

use super::error::nearest;
use super::value::{Switch, Value, Written};
use super::{SourceKind, parameter};
use crate::argocd::{self, HookDeletePolicy, Phase};
use crate::hash;
use crate::strategy::{Prune, STRATEGIES, Wanted};

/// What was not understood.
#[derive(Debug)]
pub(super) enum Bad {
    /// Another type than this one.
    Type(&'static str),
    /// The value, or the item of a list.
    Value { value: String, nearest: Option<String> },
    /// A key a second time.
    Twice(String),
}

type Outcome = Result<Value, Bad>;

fn bad(value: &str) -> Bad {
    Bad::Value { value: value.to_owned(), nearest: None }
}

fn string(written: &Written) -> Result<&str, Bad> {
    match written {
        Written::Bare(text) | Written::String(text) => Ok(text),
        _ => Err(Bad::Type("a string")),
    }
}

/// A string that is one of the known ones.
fn choice<T>(
    written: &Written,
    parse: impl Fn(&str) -> Option<T>,
    known: impl IntoIterator<Item = &'static str>,
) -> Result<T, Bad> {
    let text = string(written)?;
    parse(text).ok_or_else(|| Bad::Value { value: text.to_owned(), nearest: nearest(text, known) })
}

pub(super) fn strategy(written: &Written) -> Outcome {
    choice(written, Wanted::parse, STRATEGIES.iter().map(|row| row.id)).map(Value::Strategy)
}

pub(super) fn prune(written: &Written) -> Outcome {
    let parse = |text: &str| match text {
        "default" => Some(Prune::Default),
        "keep" => Some(Prune::Keep),
        _ => None,
    };
    choice(written, parse, parameter::PRUNE).map(Value::Prune)
}

pub(super) fn source(written: &Written) -> Outcome {
    choice(written, SourceKind::parse, SourceKind::IDS).map(Value::Source)
}

pub(super) fn switch(written: &Written) -> Outcome {
    let found = match written {
        Written::Bool(switch) => Ok(*switch),
        Written::Bare(text) if text == "true" => Ok(Switch::On),
        Written::Bare(text) if text == "false" => Ok(Switch::Off),
        Written::Bare(text) => Err(Bad::Value { value: text.clone(), nearest: nearest(text, ["true", "false"]) }),
        _ => Err(Bad::Type("a boolean")),
    };
    found.map(Value::Switch)
}

pub(super) fn phases(written: &Written) -> Outcome {
    items(written, Phase::parse, &parameter::PHASES).map(Value::Phases)
}

pub(super) fn delete_policies(written: &Written) -> Outcome {
    items(written, HookDeletePolicy::parse, &parameter::DELETE_POLICIES).map(Value::DeletePolicies)
}

/// A comma list or a list, with at least one item, each of which is known. A repeated item counts once.
fn items<T: PartialEq>(
    written: &Written,
    parse: impl Fn(&str) -> Option<T>,
    known: &[&'static str],
) -> Result<Vec<T>, Bad> {
    let texts: Vec<&str> = match written {
        Written::Bare(text) | Written::String(text) => argocd::comma_list(text),
        Written::List(items) => items.iter().map(String::as_str).collect(),
        _ => return Err(Bad::Type("a string")),
    };
    if texts.is_empty() {
        return Err(bad(match written {
            Written::Bare(text) | Written::String(text) => text,
            _ => "[]",
        }));
    }
    let unknown = |item: &str| Bad::Value { value: item.to_owned(), nearest: nearest(item, known.iter().copied()) };
    let mut found = Vec::new();
    for text in texts {
        let item = parse(text).ok_or_else(|| unknown(text))?;
        if !found.contains(&item) {
            found.push(item);
        }
    }
    Ok(found)
}

pub(super) fn text(written: &Written) -> Outcome {
    string(written).map(|text| Value::Text(text.to_owned()))
}

/// Maximum length of `rerun` in bytes: it goes into the hash of every Job.
const MAX_RERUN: usize = 1024;
/// Maximum length of `base-name` in bytes, that of a name in Kubernetes: it goes into an annotation of every Job.
const MAX_BASE_NAME: usize = 253;

/// A text of at most [`MAX_RERUN`] bytes.
pub(super) fn rerun(written: &Written) -> Outcome {
    let text = string(written)?;
    if text.len() > MAX_RERUN { Err(bad(&start(text))) } else { Ok(Value::Text(text.to_owned())) }
}

/// The start of a text that is too long, for a message.
fn start(text: &str) -> String {
    text.chars().take(40).chain(['…']).collect()
}

pub(super) fn base_name(written: &Written) -> Outcome {
    let text = string(written)?;
    if text.len() > MAX_BASE_NAME {
        return Err(bad(&start(text)));
    }
    if !text.contains(|found: char| found.is_ascii_alphanumeric()) {
        return Err(bad(text));
    }
    Ok(Value::Text(text.to_owned()))
}

/// The name of a ConfigMap (a DNS subdomain), or nothing.
pub(super) fn config_map_name(written: &Written) -> Outcome {
    let text = string(written)?;
    let is_inner = |found: char| found.is_ascii_lowercase() || found.is_ascii_digit() || found == '-';
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(is_inner) && !part.starts_with('-') && !part.ends_with('-');
    if !text.is_empty() && (text.len() > 253 || !text.split('.').all(is_part)) {
        return Err(bad(text));
    }
    Ok(Value::Text(text.to_owned()))
}

pub(super) fn wave(written: &Written) -> Outcome {
    number(written, i64::from(i32::MIN))
}

pub(super) fn ttl(written: &Written) -> Outcome {
    number(written, 0)
}

pub(super) fn deadline(written: &Written) -> Outcome {
    number(written, 1)
}

/// A whole number in decimal digits, as YAML, JSON and Kubernetes write it: no plus sign, nothing around it.
fn number(written: &Written, least: i64) -> Outcome {
    let found = match written {
        Written::Number(number) => Ok(*number),
        Written::Bare(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<i64>().ok().filter(|_| is_number).ok_or_else(|| bad(text))
        }
        _ => Err(Bad::Type("a whole number")),
    }?;
    if found < least || found > i64::from(i32::MAX) {
        return Err(bad(&found.to_string()));
    }
    Ok(Value::Number(found))
}

/// A list of texts; where there are only texts, a comma list.
pub(super) fn list(written: &Written) -> Outcome {
    let items = match written {
        Written::Bare(text) => argocd::comma_list(text).into_iter().map(ToOwned::to_owned).collect(),
        Written::List(items) => items.clone(),
        _ => return Err(Bad::Type("a list")),
    };
    if let Some(item) = items.iter().find(|item| item.is_empty() || item.contains(char::is_whitespace)) {
        return Err(bad(item));
    }
    Ok(Value::Items(items.into()))
}

/// A map to content hashes; where there are only texts, a comma list of `name=hash`.
pub(super) fn hashes(written: &Written) -> Outcome {
    let map = match written {
        Written::Map(map) => map.clone(),
        Written::Bare(text) => {
            let mut map = BTreeMap::new();
            for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                let (name, hash) = item.split_once('=').ok_or_else(|| bad(item))?;
                if map.insert(name.trim().to_owned(), hash.trim().to_owned()).is_some() {
                    return Err(Bad::Twice(name.trim().to_owned()));
                }
            }
            map
        }
        _ => return Err(Bad::Type("a map")),
    };
    for (name, hash) in &map {
        let parts = name.split('/').count();
        if parts > 2 || name.split('/').any(str::is_empty) {
            return Err(bad(name));
        }
        if !is_hash(hash) {
            return Err(bad(hash));
        }
    }
    Ok(Value::Hashes(map))
}

/// The content hash of one Job.
pub(super) fn one_hash(written: &Written) -> Outcome {
    let text = string(written)?;
    if is_hash(text) { Ok(Value::Text(text.to_owned())) } else { Err(bad(text)) }
}

fn is_hash(text: &str) -> bool {
    text.len() == hash::LENGTH && text.bytes().all(|byte| hash::ALPHABET.contains(&byte))
}
