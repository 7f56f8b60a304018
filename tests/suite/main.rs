//! The tests of the program and the library that take less than a minute in total; `tests/README.md` describes each
//! module.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "a test may start a process")]

mod agents;
mod applications;
mod deploy;
mod earlier;
mod examples;
mod findings;
mod fix;
mod golden;
mod library;
mod live;
mod oracle;
mod picture;
mod platform_guide;
mod plugin;
mod readme;
mod relations;
mod shapes;
mod site;
mod test_command;
mod updates;
mod wrong_settings;

#[path = "../laws/mod.rs"]
#[allow(dead_code, reason = "the slow tests ask for more")]
mod laws;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the slow tests need more")]
mod support;
