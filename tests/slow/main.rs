//! The tests that take longer. `cargo test` skips them; `.ci/run` runs each module by name, for example `cargo test
//! --test slow hostile::`. `tests/README.md` describes each module.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "these tests run on Linux and macOS, which write paths with `/`")]

mod action;
mod agree;
mod breakout;
mod confined;
mod fixes;
mod formats;
mod summary;
mod hostile;
mod memory;
mod properties;
mod remote;
mod render;
mod reports;
mod revisions;
mod roots;
mod sources;
mod static_binary;

#[path = "../laws/mod.rs"]
mod laws;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the fast tests need more")]
mod support;
