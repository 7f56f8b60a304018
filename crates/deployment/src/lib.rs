//! Everything that a repository deploys: its Applications from the roots down, their sources, and folders that nobody names; and what a change does
//! to them.
//!
//! A [`Run`] says what is asked. [`sources::of`] decides which sources that are, and [`reading::read`] reads them, each with its own settings, and with
//! the version to compare it with. Nothing here prints: what people should know is collected in [`notes::Notes`].

pub mod application_version;
pub mod applications;
mod argocd;
pub mod base;
mod by_name;
pub mod chart_templates;
mod environment;
pub mod errors;
pub mod folders;
mod graph;
pub mod live_jobs;
pub mod notes;
mod outcome;
mod parts;
mod paths;
pub mod reading;
mod rendered_alike;
mod roots;
pub mod row;
mod run;
mod same_files;
pub mod search;
mod skipped;
pub mod sources;
mod target;
pub mod typed_settings;
mod unchecked_change;
mod unknown_jobs;
mod unused;
pub mod value_flags;
pub mod value_sets;
pub mod versions;

pub use environment::{Environment, PathsFrom};
pub use outcome::{Failure, Read, Standing, Versions};
pub use paths::real;
pub use run::Run;
pub use target::{InBase, Target, VALUES_SET};
