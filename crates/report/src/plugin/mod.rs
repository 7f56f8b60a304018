//! The plugin's interface to Argo CD: the announcement of parameters, `plugin.yaml`, and the JSON schema of the config file. All three are generated
//! from the table of parameters.

pub mod announcement;
pub mod schema;

pub use announcement::announcement;
pub use schema::schema;
