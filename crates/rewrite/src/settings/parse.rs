//! The types of parameters: how each type parses the raw value that a layer has.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::Path;

use kube_jobs::argocd;
use kube_jobs::kubernetes::dns;
use text::spelling::nearest;

use super::parameter::{Position, ValueType};
use super::typed::TypeError;
use super::value::{Baseline, Items, RawValue, SettingValue};
use super::words::{Switch, Word};
use crate::hash;

/// Why a raw value cannot be parsed.
#[derive(Debug)]
pub(super) enum ParseError {
    /// The value has another type than this one, which is named in words.
    Type(&'static str),
    /// The parameter does not accept the value, or one item of it.
    Value {
        value: String,
        /// The values that would be accepted, when this type knows them better than the row of the parameter.
        expected: Option<&'static str>,
        nearest: Option<String>,
    },
    /// Something inside the value of `helm` or `kustomize` is wrong.
    Block(Box<TypeError>),
}

/// The type of a parameter: what its raw values are parsed into, and how.
pub(super) trait ParameterType {
    /// The type of parsed values.
    type Value: SettingValue + Clone;
    /// The type of raw values, for documents, completions and the JSON schema.
    const VALUE_TYPE: ValueType;

    /// Parses a raw value.
    fn parse(raw: &RawValue) -> Result<Self::Value, ParseError>;

    /// Parses an annotation of a Job, which can have another syntax than the other layers.
    fn parse_on_job(raw: &RawValue) -> Result<Self::Value, ParseError> {
        Self::parse(raw)
    }
}

/// Parses a raw value that is written at this position.
pub(super) fn parse<T: ParameterType>(raw: &RawValue, position: Position) -> Result<T::Value, ParseError> {
    match position {
        Position::Platform | Position::Application | Position::Rule => T::parse(raw),
        Position::Job => T::parse_on_job(raw),
    }
}

pub(super) fn bad(value: &str) -> ParseError {
    ParseError::Value { value: value.to_owned(), expected: None, nearest: None }
}

/// The error for a text that is none of these words; suggests the most similar one.
fn unknown_word(value: &str, words: &[&'static str]) -> ParseError {
    let nearest = nearest(value, words.iter().copied());
    ParseError::Value { value: value.to_owned(), expected: None, nearest }
}

pub(super) fn string(raw: &RawValue) -> Result<&str, ParseError> {
    match raw {
        RawValue::Bare(text) | RawValue::String(text) => Ok(text),
        _ => Err(ParseError::Type("a string")),
    }
}

/// One word of a fixed list.
pub(super) struct OneOf<T>(PhantomData<T>);

impl<T: Word> ParameterType for OneOf<T> {
    type Value = T;
    const VALUE_TYPE: ValueType = ValueType::Choice(T::WORDS);

    fn parse(raw: &RawValue) -> Result<T, ParseError> {
        let text = string(raw)?;
        T::parse_word(text).ok_or_else(|| unknown_word(text, T::WORDS))
    }
}

pub(super) struct TrueOrFalse;

impl ParameterType for TrueOrFalse {
    type Value = Switch;
    const VALUE_TYPE: ValueType = ValueType::Switch;

    fn parse(raw: &RawValue) -> Result<Switch, ParseError> {
        match raw {
            RawValue::Bool(switch) => Ok(*switch),
            RawValue::Bare(text) => Switch::parse_word(text).ok_or_else(|| unknown_word(text, Switch::WORDS)),
            _ => Err(ParseError::Type("a boolean")),
        }
    }
}

/// One or more words of a fixed list, as a list or separated by commas. A repeated word counts once.
pub(super) struct CommaList<T>(PhantomData<T>);

impl<T: Word> ParameterType for CommaList<T>
where
    Vec<T>: SettingValue,
{
    type Value = Vec<T>;
    const VALUE_TYPE: ValueType = ValueType::CommaList(T::WORDS);

    fn parse(raw: &RawValue) -> Result<Vec<T>, ParseError> {
        let texts: Vec<&str> = match raw {
            RawValue::Bare(text) | RawValue::String(text) => argocd::comma_list(text),
            RawValue::List(items) => items.iter().map(String::as_str).collect(),
            _ => return Err(ParseError::Type("a string")),
        };
        if texts.is_empty() {
            return Err(bad(match raw {
                RawValue::Bare(text) | RawValue::String(text) => text,
                _ => "[]",
            }));
        }
        let mut items = Vec::new();
        for text in texts {
            let item = T::parse_word(text).ok_or_else(|| unknown_word(text, T::WORDS))?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
        Ok(items)
    }
}

/// Declares types whose values are texts: each with a pattern for the JSON schema and a function that returns the
/// error of a wrong text.
macro_rules! texts {
    ($($(#[$about:meta])* $type:ident, $pattern:expr, |$text:pat_param| $wrong:expr;)*) => { $(
        $(#[$about])*
        pub(super) struct $type;

        impl ParameterType for $type {
            type Value = String;
            const VALUE_TYPE: ValueType = ValueType::Text { pattern: $pattern };

            fn parse(raw: &RawValue) -> Result<String, ParseError> {
                let text = string(raw)?;
                let wrong = |$text: &str| -> Option<ParseError> { $wrong };
                wrong(text).map_or_else(|| Ok(text.to_owned()), Err)
            }
        }
    )* };
}

/// Maximum length of a glob in bytes, as for a path in Linux: every file's path is matched against it.
const MAX_GLOB: usize = 4096;
/// Maximum length of `rerun` in bytes: it is part of the hash of every Job.
const MAX_RERUN: usize = 1024;
/// Maximum length of a name in bytes, as in Kubernetes: it is written into an annotation of every Job.
const MAX_NAME: usize = 253;

texts! {
    /// Any text.
    Text, None, |_| None;
    /// A glob for paths, of at most [`MAX_GLOB`] bytes.
    PathGlob, None, |text| match text {
        _ if text.len() > MAX_GLOB => Some(bad(&start(text))),
        _ if argocd::Glob::new(text).is_understood() => None,
        _ => Some(ParseError::Value { value: text.to_owned(), expected: Some(GLOB), nearest: None }),
    };
    /// A text of at most [`MAX_RERUN`] bytes.
    RerunText, None, |text| (text.len() > MAX_RERUN).then(|| bad(&start(text)));
    /// A name of at most [`MAX_NAME`] bytes that contains a letter or a digit.
    BaseName, Some("[A-Za-z0-9]"), |text| match text {
        _ if text.len() > MAX_NAME => Some(bad(&start(text))),
        _ => (!text.contains(|char: char| char.is_ascii_alphanumeric())).then(|| bad(text)),
    };
    /// The name of a ConfigMap (a DNS subdomain), or an empty text.
    ConfigMapName, Some(CONFIG_MAP), |text| (!text.is_empty() && dns::subdomain(text).is_err()).then(|| bad(text));
    /// An absolute path.
    AbsolutePath, Some("^/"), |text| (!Path::new(text).is_absolute()).then(|| bad(text));
    /// Options of `kustomize build`, separated by blanks; only options on the list of allowed ones.
    KustomizeOptions, None, |text| argocd::BuildOptions::parse(text).err().map(|word| bad(&word));
}

const GLOB: &str = "a valid glob: each `[` needs a closing `]`, with characters or a range between them";
const CONFIG_MAP: &str = "^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// The first 40 characters of a text that is too long, for a message.
pub(crate) fn start(text: &str) -> String {
    text.chars().take(40).chain(['…']).collect()
}

/// A whole number from `LEAST` to the largest 32-bit integer. Decimal digits only, as in YAML, JSON and Kubernetes:
/// no plus sign, no blanks around it.
pub(super) struct Number<const LEAST: i64>;

impl<const LEAST: i64> ParameterType for Number<LEAST> {
    type Value = i64;
    const VALUE_TYPE: ValueType = ValueType::Number(LEAST);

    fn parse(raw: &RawValue) -> Result<i64, ParseError> {
        let number = match raw {
            RawValue::Number(number) => Ok(*number),
            RawValue::Bare(text) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                text.parse::<i64>().ok().filter(|_| is_number).ok_or_else(|| bad(text))
            }
            _ => Err(ParseError::Type("a whole number")),
        }?;
        if number < LEAST || number > i64::from(i32::MAX) {
            return Err(bad(&number.to_string()));
        }
        Ok(number)
    }
}

/// A list of texts without blanks. In a layer that has only texts, it is separated by commas.
pub(super) struct List;

impl ParameterType for List {
    type Value = Items;
    const VALUE_TYPE: ValueType = ValueType::List;

    fn parse(raw: &RawValue) -> Result<Items, ParseError> {
        let items: Vec<String> = match raw {
            RawValue::Bare(text) => argocd::comma_list(text).into_iter().map(ToOwned::to_owned).collect(),
            RawValue::List(items) => items.clone(),
            _ => return Err(ParseError::Type("a list")),
        };
        match items.iter().find(|item| item.is_empty() || item.contains(char::is_whitespace)) {
            Some(item) => Err(bad(item)),
            None => Ok(items.into()),
        }
    }
}

/// A map from names to content hashes; in a layer that has only texts, a comma-separated list of `name=hash`. As an
/// annotation, the hash of that Job alone.
impl ParameterType for Baseline {
    type Value = Self;
    const VALUE_TYPE: ValueType = ValueType::Hashes;

    fn parse(raw: &RawValue) -> Result<Self, ParseError> {
        let map = match raw {
            RawValue::Map(map) => map.clone(),
            RawValue::Bare(text) => by_name(pairs(text)?)?,
            _ => return Err(ParseError::Type("a map")),
        };
        for (name, hash) in &map {
            let parts = name.split('/').count();
            if parts > 2 || name.split('/').any(str::is_empty) {
                return Err(bad(name));
            }
            if !hash::is_one(hash) {
                return Err(bad(hash));
            }
        }
        Ok(Self::ByName(map))
    }

    fn parse_on_job(raw: &RawValue) -> Result<Self, ParseError> {
        let text = string(raw)?;
        if hash::is_one(text) {
            return Ok(Self::OfThisJob(text.to_owned()));
        }
        let expected = Some("a content hash: ten characters, each one of `2456789bcdfghkmt`");
        Err(ParseError::Value { value: text.to_owned(), expected, nearest: None })
    }
}

/// Splits a comma-separated list of `name=value`.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, String)>, ParseError> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items
        .map(|item| {
            let (name, value) = item.split_once('=').ok_or_else(|| bad(item))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// A map of these pairs; a repeated name is an error.
pub(super) fn by_name(pairs: Vec<(String, String)>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut map = BTreeMap::new();
    for (name, value) in pairs {
        if map.insert(name.clone(), value).is_some() {
            return Err(ParseError::Value { value: name, expected: Some("every name only once"), nearest: None });
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::argocd::Phase;

    #[test]
    fn a_text_that_goes_into_every_job_has_a_largest_length() {
        let rerun =
            |length: usize| RerunText::parse(&RawValue::String("é".repeat(length / 2) + &"x".repeat(length % 2)));
        assert!(rerun(0).is_ok() && rerun(1023).is_ok() && rerun(1024).is_ok());
        for length in [1025, 1026, 5000] {
            let Err(ParseError::Value { value, .. }) = rerun(length) else { panic!("{length} bytes are taken") };
            assert_eq!(value, "é".repeat(40) + "…");
        }
        let name = |length: usize| BaseName::parse(&RawValue::String("x".repeat(length)));
        assert!(name(1).is_ok() && name(253).is_ok());
        assert!(name(0).is_err() && name(254).is_err() && name(300).is_err());
    }

    #[test]
    fn a_glob_is_as_long_as_a_path_can_be() {
        let glob = |length: usize| PathGlob::parse(&RawValue::Bare("*".repeat(length)));
        assert!(glob(0).is_ok() && glob(4096).is_ok());
        for length in [4097, 10_000] {
            let Err(ParseError::Value { value, .. }) = glob(length) else { panic!("{length} bytes are taken") };
            assert_eq!(value, "*".repeat(40) + "…");
        }
    }

    #[test]
    fn a_list_without_an_item_is_refused_in_the_words_of_the_user() {
        let refused = |raw: RawValue| match CommaList::<Phase>::parse(&raw) {
            Err(ParseError::Value { value, .. }) => value,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(RawValue::Bare(" , ".to_owned())), " , ");
        assert_eq!(refused(RawValue::String(",".to_owned())), ",");
        assert_eq!(refused(RawValue::List(Vec::new())), "[]");
    }

    #[test]
    fn only_what_can_be_a_hash_is_a_baseline() {
        let on_job = |text: &str| Baseline::parse_on_job(&RawValue::Bare(text.to_owned())).is_ok();
        assert!(on_job("fg6t5fhk55"));
        for text in ["", "fg6t5fhk5", "fg6t5fhk555", "FG6T5FHK55", "fg6t5fhk51", "migrate-v1"] {
            assert!(!on_job(text), "{text}");
        }
    }
}
