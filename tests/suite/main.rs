//! All tests that look at the program or the library from outside, as one program; `tests/README.md` says what each module holds.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod action;
mod applications;
mod baseline;
mod breakout;
mod confined;
mod deploy;
mod every_file;
mod examples;
mod findings;
mod fix;
mod formats;
mod golden;
mod growth;
mod hostile;
mod laws;
mod memory;
mod oracle;
mod picture;
mod platform_guide;
mod plugin;
mod properties;
mod readme;
mod relations;
mod render;
mod reports;
mod revisions;
mod shapes;
mod site;
mod sources;
mod static_binary;
mod support;
mod test_command;
mod updates;
mod wrong_settings;
