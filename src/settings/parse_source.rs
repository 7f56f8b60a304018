//! The types of the parameters about helm and kustomize: how each type parses the raw value of a layer.

use std::path::Path;

use super::blocks::{patch, read_text};
use super::parameter::ValueType;
use super::parse::{ParameterType, ParseError, bad, by_name, pairs, string};
use super::value::{Counts, Items, RawValue, TextMap};
use crate::argocd::BuildOptions;
use crate::yaml::Value;

/// A list of any texts; where there are only texts, a comma-separated list.
pub(super) struct Texts;

impl ParameterType for Texts {
    type Value = Items;
    const VALUE_TYPE: ValueType = ValueType::Texts;

    fn parse(raw: &RawValue) -> Result<Items, ParseError> {
        match raw {
            RawValue::Bare(text) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(items.map(ToOwned::to_owned).collect::<Vec<_>>().into())
            }
            RawValue::List(items) => Ok(items.clone().into()),
            _ => Err(ParseError::Type("a list")),
        }
    }
}

/// A map of texts; where there are only texts, a comma-separated list of `name=value`.
pub(super) struct MapOfTexts;

impl ParameterType for MapOfTexts {
    type Value = TextMap;
    const VALUE_TYPE: ValueType = ValueType::Map;

    fn parse(raw: &RawValue) -> Result<TextMap, ParseError> {
        match raw {
            RawValue::Map(map) => Ok(TextMap(map.clone())),
            RawValue::Bare(text) => by_name(pairs(text)?).map(TextMap),
            _ => Err(ParseError::Type("a map")),
        }
    }
}

/// A map to absolute paths.
pub(super) struct MapOfPaths;

impl ParameterType for MapOfPaths {
    type Value = TextMap;
    const VALUE_TYPE: ValueType = ValueType::Map;

    fn parse(raw: &RawValue) -> Result<TextMap, ParseError> {
        let map = MapOfTexts::parse(raw)?;
        match map.0.values().find(|path| !Path::new(path).is_absolute()) {
            Some(relative) => Err(bad(relative)),
            None => Ok(map),
        }
    }
}

/// A map to whole numbers, in the order in which it is written.
pub(super) struct MapOfCounts;

impl ParameterType for MapOfCounts {
    type Value = Counts;
    const VALUE_TYPE: ValueType = ValueType::Counts;

    fn parse(raw: &RawValue) -> Result<Counts, ParseError> {
        let written: Vec<(String, String)> = match raw {
            RawValue::Pairs(pairs) => pairs.clone(),
            RawValue::Map(map) => map.clone().into_iter().collect(),
            RawValue::Bare(text) => pairs(text)?,
            RawValue::Yaml(Value::Map(map)) => {
                let count = |value: &Value| match value {
                    Value::Int(count) => Ok(count.to_string()),
                    Value::String(count) => Ok(count.to_string()),
                    _ => Err(ParseError::Type("a map of whole numbers")),
                };
                map.iter().map(|(name, value)| Ok((name.to_string(), count(value)?))).collect::<Result<_, _>>()?
            }
            _ => return Err(ParseError::Type("a map")),
        };
        // `ParseInt(count, 10, 64)` in `pkg/apis/application/v1alpha1/types.go`.
        match written.iter().find(|(_, count)| count.parse::<i64>().is_err()) {
            Some((_, count)) => Err(bad(count)),
            None => Ok(written.into()),
        }
    }
}

/// Patches, each the YAML of a map; where there are only texts, the YAML of one map or of a list of them.
pub(super) struct Patches;

impl ParameterType for Patches {
    type Value = Items;
    const VALUE_TYPE: ValueType = ValueType::Texts;

    fn parse(raw: &RawValue) -> Result<Items, ParseError> {
        let one = |text: &String| read_text(text, patch).map(|patch| patch.ok_or_else(|| bad(text)))?;
        let patches: Vec<String> = match raw {
            RawValue::List(items) => items.iter().map(one).collect::<Result<_, _>>()?,
            RawValue::Bare(text) => {
                let all = |value: &Value| match value {
                    Value::List(items) => items.iter().map(patch).collect(),
                    one => Ok(vec![patch(one)?]),
                };
                read_text(text, all)?.unwrap_or_default()
            }
            _ => return Err(ParseError::Type("a list")),
        };
        Ok(patches.into())
    }
}

/// An absolute path.
pub(super) struct AbsolutePath;

impl ParameterType for AbsolutePath {
    type Value = String;
    const VALUE_TYPE: ValueType = ValueType::Text { pattern: Some("^/") };

    fn parse(raw: &RawValue) -> Result<String, ParseError> {
        let path = string(raw)?;
        if Path::new(path).is_absolute() { Ok(path.to_owned()) } else { Err(bad(path)) }
    }
}

/// Options of `kustomize build`, separated by blanks: those that are allowed.
pub(super) struct KustomizeOptions;

impl ParameterType for KustomizeOptions {
    type Value = String;
    const VALUE_TYPE: ValueType = ValueType::Text { pattern: None };

    fn parse(raw: &RawValue) -> Result<String, ParseError> {
        let options = string(raw)?;
        match BuildOptions::parse(options) {
            Ok(_) => Ok(options.to_owned()),
            Err(word) => Err(bad(&word)),
        }
    }
}
