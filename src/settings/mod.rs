//! Settings: what users say, in layers, and what comes of them for one Job.
//!
//! Each layer is a [`Settings`] in which everything may be absent; [`Layers`] lays them on top of each other, for the
//! Application and for one Job. Every value knows who set it. What is not understood is an error with a suggestion, never a
//! default. Reads no file and no environment: the texts of all layers are handed in.

mod annotation;
mod application;
mod application_parameters;
mod config_file;
mod declare;
mod environment;
mod error;
mod layers;
pub mod parameter;
mod parameters;
mod parse;
mod resolve;
mod set;
mod set_by;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use application::{ApplicationSettings, Empty, HashReferences, Output, Recurse, SourceKind, Trigger};
pub use config_file::{CONFIG_FILE, ConfigFile, ConfigText, IGNORE, Ignore, MAX_CONFIG_FILE, Matcher};
pub use environment::{is_for_cases, variables_of_cases};
pub use error::{Error, Wrong};
pub use layers::{ForJob, Layers, Overruled, Texts, Typed};
pub use parameters::Settings;
pub use set_by::SetBy;
pub use value::{AnySetting, Baseline, Brief, DisplayValue, Items, Setting, SettingValue, Slot, Switch};
pub use words::Word;
