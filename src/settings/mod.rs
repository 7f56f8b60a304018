//! Settings: what users say, in layers, and what comes of them for one Job.
//!
//! Each layer is a [`Settings`] in which everything may be absent; [`Layers`] lays them on top of each other, for the
//! Application and for one Job. Every value knows who set it. What is not understood is an error with a suggestion, never a
//! default. Reads no file and no environment: the texts of all layers are handed in.

mod annotation;
mod application;
mod application_parameters;
mod config_file;
mod environment;
mod error;
mod ignore;
mod layers;
pub mod parameter;
mod read;
mod resolve;
pub mod rule;
mod set_by;
mod table;
#[cfg(test)]
mod tests;
mod places;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use application::{ApplicationSettings, Empty, HashReferences, Output, Recurse, SourceKind, Trigger};
pub use config_file::{CONFIG_FILE, ConfigFile, MAX_CONFIG_FILE};
pub use environment::{is_for_cases, variables_of_cases};
pub use error::{Error, Wrong, nearest};
pub use ignore::{IGNORE, Ignore};
pub use layers::{ForJob, Layers, Overruled, Texts, Typed};
pub use set_by::SetBy;
pub use value::{Brief, Items, Shown, Value};

use parameter::Id;

/// A value and who set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Who set it.
    pub by: SetBy,
}

/// One layer, or several on top of each other: the values that are set, by parameter.
///
/// Every Job has its own `Settings`, but most of their values are the Application's. Those are shared, because a `baseline` can have an
/// entry for every Job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<Id, Arc<Setting>>);

impl Settings {
    /// The value of a parameter and who set it, when anybody did.
    pub fn get(&self, id: Id) -> Option<&Arc<Setting>> {
        self.0.get(&id)
    }

    /// All that is set, in the order of the table of parameters.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &Arc<Setting>)> {
        self.0.iter().map(|(id, setting)| (*id, setting))
    }

    fn set(&mut self, id: Id, value: Value, by: SetBy) {
        self.0.insert(id, Arc::new(Setting { value, by }));
    }

    /// This layer on top of a lower one.
    fn over(mut self, lower: &Self) -> Self {
        for (id, setting) in &lower.0 {
            self.0.entry(*id).or_insert_with(|| Arc::clone(setting));
        }
        self
    }

    fn value(&self, id: Id) -> Option<&Value> {
        self.get(id).map(|setting| &setting.value)
    }

    /// A text that is not empty.
    fn text(&self, id: Id) -> Option<String> {
        match self.value(id) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }
}
