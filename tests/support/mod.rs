//! Code that several modules of the tests use: for the cases and inputs of `testdata/`, the program under test, and
//! temporary folders.

pub(crate) mod case;
pub(crate) mod fixing;
pub(crate) mod inputs;
pub(crate) mod json_schema;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
pub(crate) mod plain;
pub(crate) mod program;
pub(crate) mod scratch;
pub(crate) mod switches;
