//! The plugin's interface to Argo CD: the announcement of its parameters, its `plugin.yaml`, and the JSON schema of its config
//! file. All three are generated from the one table of parameters.

pub mod announcement;
pub mod schema;

pub use announcement::announcement;
pub use schema::schema;
