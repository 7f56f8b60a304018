//! The blocks `helm` and `kustomize` of an Application, pasted as one parameter: each field of a block sets the parameter of that
//! field, in the same layer.
//!
//! A block is read as Argo CD reads an Application (YAML 1.1, merge keys) and then typed strictly. It is the text of a parameter, or a
//! map in the config file.

mod decode;
mod fields;
#[cfg(test)]
mod tests;

use super::block_error::BlockError;
use super::parameter::{BlockType, ValueType};
use super::parse::{ParameterType, ParseError};
use super::strict;
use super::value::{DisplayValue, RawValue, SettingValue};
use crate::text::LineColumn;
use crate::yaml::json::{self, Form};
use crate::yaml::{Path, Tree, Value};

pub(super) use decode::patch;
pub use fields::{Field, FieldType};

/// A block, with what its fields set.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// As it was written; JSON for a map in the config file.
    text: String,
    /// By the names of parameters, in the order in which they are set.
    fields: Vec<(&'static str, RawValue)>,
}

impl Block {
    /// The parameters that the block sets, by their names, in the order in which they are set.
    pub(super) fn fields(&self) -> &[(&'static str, RawValue)] {
        &self.fields
    }
}

impl SettingValue for Block {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text((&self.text).into())
    }
}

/// `helm`: the fields of `ApplicationSourceHelm`.
pub(super) struct HelmBlock;

impl ParameterType for HelmBlock {
    type Value = Block;
    const VALUE_TYPE: ValueType = ValueType::Block(BlockType::Helm);

    fn parse(raw: &RawValue) -> Result<Block, ParseError> {
        read(raw, BlockType::Helm)
    }
}

/// `kustomize`: the fields of `ApplicationSourceKustomize`.
pub(super) struct KustomizeBlock;

impl ParameterType for KustomizeBlock {
    type Value = Block;
    const VALUE_TYPE: ValueType = ValueType::Block(BlockType::Kustomize);

    fn parse(raw: &RawValue) -> Result<Block, ParseError> {
        read(raw, BlockType::Kustomize)
    }
}

fn read(raw: &RawValue, block: BlockType) -> Result<Block, ParseError> {
    let known = block.fields();
    match raw {
        RawValue::Bare(text) | RawValue::String(text) => {
            let fields = read_text(text, |value| decode::fields(value, known))?;
            Ok(Block { text: text.clone(), fields: fields.unwrap_or_default() })
        }
        RawValue::Yaml(value) => {
            let fields = decode::fields(value, known).map_err(|error| ParseError::Block(Box::new(error)))?;
            Ok(Block { text: json::print(value, Form::Stream), fields })
        }
        RawValue::Map(_) | RawValue::List(_) => Err(ParseError::Type("a string with the YAML of the block")),
        _ => Err(ParseError::Type("a map")),
    }
}

/// Reads a text as YAML and decodes it; `None` when there is nothing in it. An error has its place in the text.
pub(super) fn read_text<T>(
    text: &str,
    decode: impl FnOnce(&Value) -> Result<T, BlockError>,
) -> Result<Option<T>, ParseError> {
    let at = |offset| Some(LineColumn::of(text.as_bytes(), offset));
    let wrong = |offset, what| {
        let error = BlockError { path: Path::default(), is_key: false, what, help: None, at: at(offset) };
        ParseError::Block(Box::new(error))
    };
    let mut tree = Tree::default();
    let document = tree.read(text).map_err(|error| wrong(error.offset, error.message))?;
    if let Some(fault) = strict::fault(document, "the block") {
        return Err(wrong(fault.offset, fault.message));
    }
    let Some(root) = document.root() else { return Ok(None) };
    let value = root.value().map_err(|error| wrong(error.offset, error.message))?;
    if value == Value::Null {
        return Ok(None);
    }
    let placed = |error: BlockError| {
        let offset = strict::offset(root, &error.path, error.is_key);
        ParseError::Block(Box::new(BlockError { at: at(offset), ..error }))
    };
    decode(&value).map(Some).map_err(placed)
}
