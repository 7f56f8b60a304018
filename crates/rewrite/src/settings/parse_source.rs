//! The types of the parameters for helm and kustomize: how each type parses the raw value that a layer has.

use std::path::Path;

use super::parameter::ValueType;
use super::parse::{ParameterType, ParseError, bad, by_name, pairs};
use super::value::{Items, RawValue, TextMap};

/// A list of texts, which may contain blanks. In a layer that has only texts, it is separated by commas.
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

/// A map with texts as values. In a layer that has only texts, a comma-separated list of `name=value`.
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

/// A map whose values are absolute paths.
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
