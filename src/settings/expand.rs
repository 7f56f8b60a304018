//! The blocks of a layer set the parameters of their fields.

use super::parameters::{Id, Parameter, Settings};
use super::set::set;
use super::value::{AnySetting, DisplayValue};
use super::{Error, ErrorKind, Position};

impl Settings {
    /// Sets the parameters that the blocks of this layer name. An error when one is also set by its own name in the same layer, unless one
    /// of the two values says nothing (`says_nothing`).
    pub(super) fn with_blocks(mut self) -> Result<Self, Error> {
        for id in [Id::Helm, Id::Kustomize] {
            let block = match id {
                Id::Helm => self.helm.clone(),
                _ => self.kustomize.clone(),
            };
            let Some(block) = block else { continue };
            let mut fields = Self::default();
            for (name, raw) in block.value.fields() {
                let spell = |known: &Parameter| known.name.to_owned();
                set(&mut fields, name, Position::Application, raw, block.by.clone(), spell)?;
            }
            let said = |setting: &AnySetting| !says_nothing(&setting.value.display());
            let twice = fields.iter().find(|(field, setting)| said(setting) && self.get(*field).is_some_and(said));
            if let Some((field, _)) = twice {
                let by = self.get(field).map_or(&block.by, |setting| &setting.by).clone();
                return Err(Error::new(by, ErrorKind::BothWays { field, block: id }));
            }
            for (field, _) in fields.iter() {
                if !self.get(field).is_some_and(said) {
                    self.replace(field, &fields);
                }
            }
        }
        Ok(self)
    }
}

/// True for a value that Argo CD's UI sends for a parameter that nobody has set.
pub(super) fn says_nothing(value: &DisplayValue<'_>) -> bool {
    match value {
        DisplayValue::Text(text) => text.is_empty() || text == "false",
        DisplayValue::List(items) => items.is_empty(),
        DisplayValue::Map(map) => map.is_empty(),
    }
}
