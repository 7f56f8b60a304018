//! Settings: the parameters that users set in layers, and their values for the Application and for each Job.
//!
//! Each layer is a [`Settings`], in which every value is optional; [`Layers`] merges the layers. Every value has its
//! [`Provenance`]. A value that is not understood is an error with a suggestion; it never becomes the default.
//! Nothing here reads files or the environment: the caller passes the texts of all layers.
//!
//! | what | files |
//! |---|---|
//! | the rows of [`PARAMETERS`] | `parameters.rs`, `block_parameters.rs`, `platform_parameters.rs`; `declare.rs` makes the table of them |
//! | what a row says | `parameter.rs`, `types.rs`, `words.rs` |
//! | the layers, and who wins | `layers.rs`; each is read in `environment.rs` (the sidecar, its locks, and `plugin.env`), `application_parameters.rs`, `config_file/`, `annotation.rs`, `native.rs` |
//! | values, and how they are parsed | `value.rs`, `typed.rs`, `parse.rs`, `parse_source.rs` (lists and maps), `parse_version.rs`, `strict.rs` |
//! | what they mean, for a Job and for the Application | `resolve.rs`, `resolve_rendering.rs`, `application.rs`, `rendering.rs` |

mod annotation;
mod application;
mod application_parameters;
mod block_parameters;
mod blocks;
mod config_file;
mod declare;
mod environment;
mod error;
mod layers;
mod native;
mod parameter;
mod parameters;
mod parse;
mod parse_source;
mod parse_version;
mod platform_parameters;
mod provenance;
mod rendering;
mod resolve;
mod resolve_rendering;
mod set;
mod set_values;
mod strict;
#[cfg(test)]
mod tests;
mod typed;
mod types;
mod value;
mod words;

pub use annotation::is_annotated;
pub use application::{ApplicationSettings, Empty, HashReferences, Output, Random, Recurse, Trigger};
pub use config_file::{ConfigFile, ConfigText, IGNORE, Ignore, MAX_CONFIG_FILE, Matcher};
pub use environment::{is_for_cases, variables_of_cases};
pub use error::{Error, ErrorKind};
pub use layers::{CliParameter, CliValue, ForJob, Layers, Overruled, PluginUse, RawLayers, WithPlugin};
pub use parameter::{BlockType, Position, Scope, ValueType};
pub use parameters::{Id, PARAMETERS, Parameter, Settings};
pub use provenance::{CONFIG_FILE, Provenance};
pub use rendering::{HelmSettings, KustomizeSettings, PlatformSettings};
pub use set_values::SetValues;
pub use typed::{TypeError, Unknown, typed};
pub use types::{TEXT_MAP, TEXTS, Type};
pub use value::{AnySetting, Baseline, Brief, DisplayValue, Hashes, Items, Setting, SettingValue, Slot, TextMap};
pub use words::{HelmDependencies, Network, SourceKind, Switch, Word};
