//! Writers of outputs: the YAML stream, and the formats of `check`, `preview` and `explain`.

pub mod adopt;
pub mod check;
pub mod count;
pub mod diff;
pub mod explain;
mod grouped;
mod json;
pub mod markdown;
pub mod paint;
pub mod preview;
pub mod show;
pub mod sources;
pub mod stream;
pub mod table;
