//! What a Config Management Plugin says about itself: the announcement of its parameters to Argo CD, its `plugin.yaml`, and the JSON
//! schema of its config file. All three are made of the one table of parameters.

pub mod announcement;
pub mod schema;

pub use announcement::announcement;
pub use schema::schema;
