//! The values that are set for one Job, stored without the unset ones: a survey keeps them for thousands of Jobs.

use std::sync::Arc;

use super::{AnySetting, Id, Settings};

/// The values that are set for one Job, in the order of the table of parameters.
#[derive(Clone, Debug)]
pub struct SetValues(Box<[(Id, Arc<AnySetting>)]>);

impl SetValues {
    /// The values of merged layers.
    pub fn of(settings: &Settings) -> Self {
        Self(settings.iter().collect())
    }

    /// The value of a parameter and its provenance; `None` when it is not set.
    pub fn get(&self, id: Id) -> Option<&AnySetting> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, setting)| &**setting)
    }

    /// All values that are set.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &Arc<AnySetting>)> {
        self.0.iter().map(|(id, setting)| (*id, setting))
    }
}
