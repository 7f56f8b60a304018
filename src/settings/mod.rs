//! Settings: parameters that users set in layers, and their values for the Application and for one Job.
//!
//! Each layer is a [`Settings`] in which everything may be absent; [`Layers`] lays them on top of each other. Every value has
//! its [`Provenance`]. A value that is not understood is an error with a suggestion, never a default. Nothing here reads files or
//! the environment: the caller passes the texts of all layers.

mod annotation;
mod application;
mod application_parameters;
mod config_file;
mod declare;
mod environment;
mod error;
mod layers;
mod parameter;
mod parameters;
mod parse;
mod resolve;
mod set;
mod provenance;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use application::{ApplicationSettings, Empty, HashReferences, Output, Recurse, SourceKind, Trigger};
pub use config_file::{ConfigFile, ConfigText, IGNORE, Ignore, MAX_CONFIG_FILE, Matcher};
pub use environment::{is_for_cases, variables_of_cases};
pub use error::{Error, ErrorKind};
pub use layers::{CliParameter, ForJob, Layers, Overruled, RawLayers};
pub use parameter::{Position, Scope, ValueType};
pub use parameters::{Id, PARAMETERS, Parameter, Settings};
pub use provenance::{CONFIG_FILE, Provenance};
pub use value::{AnySetting, Baseline, Brief, DisplayValue, Items, Setting, SettingValue, Slot};
pub use words::{Switch, Word};
