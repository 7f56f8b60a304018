//! The blocks `helm` and `kustomize` of an Application. Each block is one setting: every layer sets some of its
//! fields, and the highest layer that sets a field wins.
//!
//! A block is the text of a parameter, a map in the config file, or the block of an Application that uses no plugin.
//! It is read as Argo CD reads an Application (YAML 1.1, merge keys), and then its types are checked strictly. The
//! value of a parameter such as `helm-values` becomes a field of the block.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use goyaml::json::{self, Form};
use goyaml::value::Map;
use goyaml::{Tree, Value};
use text::LineColumn;

use super::parameter::{BlockType, ValueType};
use super::parse::{ParameterType, ParseError};
use super::typed::{TypeError, Unknown, typed};
use super::types::Type;
use super::value::{AnySetting, DisplayValue, RawValue, Setting, SettingValue, Slot};
use super::{Provenance, strict};

/// The name under which the `helm.parameters` with `forceString` are stored. Argo CD keeps them apart, too
/// (`helmTemplate` in `reposerver/repository/repository.go`), and the parameter `helm-parameters` sets only those
/// without `forceString`.
pub(super) const STRING_PARAMETERS: &str = "parameters with forceString";

/// The fields of a block that are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Where the block as a whole was set; `None` when only parameters for its fields were. Even an empty block says
    /// which tool renders the source.
    written: Option<Provenance>,
    /// The value of each set field, which has the type of Argo CD's API.
    fields: BTreeMap<&'static str, Arc<Setting<Value>>>,
}

impl Block {
    /// Checks the types of `value` and reads it as a block. The fields do not have their provenance yet.
    fn of(value: Value, block: BlockType) -> Result<Self, TypeError> {
        let mut found = Self::default();
        let Value::Map(map) = typed(value, &block.of(), Unknown::Refused)? else { return Ok(found) };
        for (key, of) in block.fields() {
            match (*key, map.get(*key).cloned()) {
                (_, None) => {}
                _ if matches!(of, Type::HelmVersion | Type::PassCredentials) => {}
                ("parameters", Some(parameters)) => found.set_parameters(&parameters),
                ("valuesObject", Some(values)) => found.set("values", values, &Provenance::Native),
                (key, Some(value)) => found.set(key, value, &Provenance::Native),
            }
        }
        Ok(found)
    }

    fn set(&mut self, field: &'static str, value: Value, by: &Provenance) {
        self.fields.insert(field, Arc::new(Setting { by: by.clone(), value }));
    }

    /// Stores `helm.parameters`. When a name occurs several times, the last one wins.
    fn set_parameters(&mut self, parameters: &Value) {
        let (mut plain, mut strings) = (BTreeMap::new(), BTreeMap::new());
        for item in parameters.as_list().unwrap_or_default() {
            let text = |key: &str| item.text_at(&[key]).unwrap_or_default().to_owned();
            let is_string = item.is_true_at(&["forceString"]);
            let into = if is_string { &mut strings } else { &mut plain };
            into.insert(text("name"), Value::String(text("value").into()));
        }
        for (field, values) in [("parameters", plain), (STRING_PARAMETERS, strings)] {
            self.set(field, Value::Map(values.into_iter().collect()), &Provenance::Native);
        }
    }

    /// Sets a field to the value of the parameter for that field. An empty value does not replace a field that the
    /// block sets: Argo CD's UI sends back every parameter that it was shown, also the empty ones.
    pub(super) fn put(slot: &mut Slot<Self>, field: &'static str, setting: &AnySetting) {
        let value = match setting.value.display() {
            DisplayValue::Text(text) => Value::String(text.as_ref().into()),
            DisplayValue::List(items) => {
                Value::List(items.iter().map(|item| Value::String(item.as_str().into())).collect())
            }
            DisplayValue::Map(map) => {
                Value::Map(map.iter().map(|(key, value)| (key.clone(), Value::String(value.as_str().into()))).collect())
            }
        };
        let mut block =
            slot.as_deref().cloned().unwrap_or_else(|| Setting { by: setting.by.clone(), value: Self::default() });
        if !setting.value.display().says_nothing() || !block.value.fields.contains_key(field) {
            block.value.set(field, value, &setting.by);
        }
        *slot = Some(Arc::new(block));
    }

    /// The first provenance accepted by `counts`, of the block or of a field that is not empty. It shows which tool
    /// the source is for.
    pub(super) fn names_the_source(&self, counts: impl Fn(&Provenance) -> bool) -> Option<&Provenance> {
        let written = self.written.iter();
        let said = self.fields.values().filter(|field| !field.value.display().says_nothing()).map(|field| &field.by);
        written.chain(said).find(|by| counts(by))
    }

    fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).map(|setting| &setting.value)
    }

    /// The field as text; `None` when it is empty or not set. A map is printed as JSON.
    pub(super) fn text(&self, field: &str) -> Option<String> {
        match self.value(field)? {
            Value::String(text) => Some(text.to_string()).filter(|text| !text.is_empty()),
            other => Some(json::print(other, Form::Stream)),
        }
    }

    pub(super) fn is_on(&self, field: &str) -> bool {
        self.value(field) == Some(&Value::Bool(true))
    }

    pub(super) fn list(&self, field: &str) -> &[Value] {
        self.value(field).and_then(Value::as_list).unwrap_or_default()
    }

    pub(super) fn texts(&self, field: &str) -> Vec<String> {
        self.list(field).iter().filter_map(Value::as_text).map(ToOwned::to_owned).collect()
    }

    pub(super) fn map(&self, field: &str) -> BTreeMap<String, String> {
        texts_of(self.value(field)).unwrap_or_default()
    }

    fn as_map(&self) -> Map {
        self.fields.iter().map(|(field, setting)| (*field, setting.value.clone())).collect()
    }

    /// Whether a lock on the fields `names` covers this field. An empty set locks every field.
    fn is_among(field: &str, names: &BTreeSet<&'static str>) -> bool {
        names.is_empty() || names.contains(field) || (field == STRING_PARAMETERS && names.contains("parameters"))
    }

    /// A copy of the block that has only these fields, or all fields when `names` is empty.
    fn with_only(&self, names: &BTreeSet<&'static str>, by: impl Fn(&Provenance) -> Provenance) -> Self {
        let kept = self.fields.iter().filter(|(field, _)| Self::is_among(field, names));
        let moved = |setting: &Setting<Value>| Arc::new(Setting { by: by(&setting.by), value: setting.value.clone() });
        Self {
            written: self.written.as_ref().filter(|_| names.is_empty()).map(&by),
            fields: kept.map(|(field, setting)| (*field, moved(setting))).collect(),
        }
    }
}

impl SettingValue for Block {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text(json::print(&Value::Map(self.as_map()), Form::Stream).into())
    }

    fn field(&self, name: &str) -> Option<&AnySetting> {
        self.fields.get(name).map(|setting| &**setting as &AnySetting)
    }

    fn set_by(mut self, by: &Provenance) -> Self {
        self.written = Some(by.clone());
        self.with_only(&BTreeSet::new(), |_| by.clone())
    }

    fn over(upper: Slot<Self>, lower: &Slot<Self>) -> Slot<Self> {
        let (Some(upper), Some(lower)) = (&upper, lower) else { return upper.or_else(|| lower.clone()) };
        let mut fields = lower.value.fields.clone();
        fields.extend(upper.value.fields.clone());
        let written = upper.value.written.clone().or_else(|| lower.value.written.clone());
        Some(Arc::new(Setting { by: upper.by.clone(), value: Self { written, fields } }))
    }

    fn only(slot: &Slot<Self>, names: &BTreeSet<&'static str>, by: &dyn Fn(&Provenance) -> Provenance) -> Slot<Self> {
        let setting = slot.as_deref()?;
        Some(Arc::new(Setting { by: by(&setting.by), value: setting.value.with_only(names, by) }))
    }

    fn lock(
        slot: &mut Slot<Self>,
        names: &BTreeSet<&'static str>,
        locked: &Slot<Self>,
    ) -> Vec<(Option<&'static str>, Arc<AnySetting>)> {
        let Some(setting) = slot.take() else {
            slot.clone_from(locked);
            return Vec::new();
        };
        let Self { written, fields } = setting.value.clone();
        let (taken, mut kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            fields.into_iter().partition(|(field, _)| Self::is_among(field, names));
        let locked = locked.as_deref();
        kept.extend(locked.iter().flat_map(|locked| locked.value.fields.clone()));
        let is_whole = names.is_empty();
        let written = if is_whole { locked.and_then(|locked| locked.value.written.clone()) } else { written };
        *slot = (!is_whole || locked.is_some()).then(|| {
            let by = locked.filter(|_| is_whole).map_or(&setting.by, |locked| &locked.by).clone();
            Arc::new(Setting { by, value: Self { written, fields: kept } })
        });
        if is_whole && taken.is_empty() {
            return vec![(None, setting)];
        }
        taken.into_iter().map(|(field, setting)| (Some(field), setting as Arc<AnySetting>)).collect()
    }
}

impl SettingValue for Value {
    fn display(&self) -> DisplayValue<'_> {
        match self {
            Self::String(text) => DisplayValue::Text(text.as_str().into()),
            Self::List(items) if items.iter().all(|item| item.as_text().is_some()) => {
                DisplayValue::List(items.iter().filter_map(Self::as_text).map(ToOwned::to_owned).collect())
            }
            other => match texts_of(Some(other)) {
                Some(texts) => DisplayValue::Map(Cow::Owned(texts)),
                None => DisplayValue::Text(json::print(other, Form::Stream).into()),
            },
        }
    }
}

/// The entries of a map whose values are all texts; `None` for any other value.
fn texts_of(value: Option<&Value>) -> Option<BTreeMap<String, String>> {
    let map = value?.as_map()?;
    map.iter().map(|(key, value)| Some((key.to_string(), value.as_text()?.to_owned()))).collect()
}

/// The parameter `helm`, with the fields of `ApplicationSourceHelm`.
pub(super) struct HelmBlock;

impl ParameterType for HelmBlock {
    type Value = Block;
    const VALUE_TYPE: ValueType = ValueType::Block(BlockType::Helm);

    fn parse(raw: &RawValue) -> Result<Block, ParseError> {
        read(raw, BlockType::Helm)
    }
}

/// The parameter `kustomize`, with the fields of `ApplicationSourceKustomize`.
pub(super) struct KustomizeBlock;

impl ParameterType for KustomizeBlock {
    type Value = Block;
    const VALUE_TYPE: ValueType = ValueType::Block(BlockType::Kustomize);

    fn parse(raw: &RawValue) -> Result<Block, ParseError> {
        read(raw, BlockType::Kustomize)
    }
}

fn read(raw: &RawValue, block: BlockType) -> Result<Block, ParseError> {
    match raw {
        RawValue::Bare(text) | RawValue::String(text) => read_text(text, block),
        RawValue::Yaml(value) => Block::of(value.clone(), block).map_err(|error| ParseError::Block(Box::new(error))),
        RawValue::Map(_) | RawValue::List(_) => Err(ParseError::Type("a string with the YAML of the block")),
        _ => Err(ParseError::Type("a map")),
    }
}

/// Reads the text of a block as YAML. The place of an error is a line and column of this text.
fn read_text(text: &str, block: BlockType) -> Result<Block, ParseError> {
    let placed = |offset, mut error: TypeError| {
        error.at = Some(LineColumn::of(text.as_bytes(), offset));
        ParseError::Block(Box::new(error))
    };
    let wrong = |offset, message| placed(offset, TypeError::syntax(message));
    let mut tree = Tree::default();
    let document = tree.read(text).map_err(|error| wrong(error.offset, error.message))?;
    if let Some(fault) = strict::fault(document, "the block") {
        return Err(wrong(fault.offset, fault.message));
    }
    let Some(root) = document.root() else { return Ok(Block::default()) };
    match root.value().map_err(|error| wrong(error.offset, error.message))? {
        Value::Null => Ok(Block::default()),
        value => {
            Block::of(value, block).map_err(|error| placed(strict::offset(root, &error.path, error.is_key()), error))
        }
    }
}
