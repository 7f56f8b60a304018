//! What more than one module of the tests needs: the cases and inputs of `testdata/`, the program under test, folders to work in.

pub(crate) mod case;
pub(crate) mod fixing;
pub(crate) mod inputs;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
pub(crate) mod program;
pub(crate) mod scratch;
pub(crate) mod switches;
