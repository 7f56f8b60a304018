//! The parameters of a template.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use serde_json::{Map, Value};

/// The parameters of a template: JSON, and the Go types that it does not show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// The values.
    pub map: Map<String, Value>,
    /// The paths, with dots between the keys, of maps and lists whose Go type is `map[string]string` or `[]string`,
    /// and of the list of clusters.
    pub typed: BTreeSet<String>,
}

impl Deref for Parameters {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl DerefMut for Parameters {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.map
    }
}

impl From<Map<String, Value>> for Parameters {
    fn from(map: Map<String, Value>) -> Self {
        Self { map, typed: BTreeSet::new() }
    }
}

impl Parameters {
    /// The parameters without their Go types.
    pub fn into_map(self) -> Map<String, Value> {
        self.map
    }

    /// Records that the map or list at `path` has a special type in Go.
    pub fn set_typed(&mut self, path: impl Into<String>) {
        self.typed.insert(path.into());
    }

    /// Whether the map or list at `path` has a special type in Go.
    pub fn is_typed(&self, path: &str) -> bool {
        self.typed.contains(path)
    }
}
