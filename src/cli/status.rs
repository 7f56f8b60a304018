//! How a subcommand ends, and what it prints.

use std::io::{self, Write};

use anyhow::{Context, Result};
use text::harmless_in_a_log;

/// How a subcommand ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is nothing else to report.
    Done,
    /// It found something that the user wants to see in the exit status.
    Found,
    /// Nothing is wrong, but something changes, and the user wants to see that in the exit status (`preview --exit-code`).
    Changed,
}

/// Prints text for people on standard output, often the log of a CI job. XML reports are printed this way too: in them the escapes are plain text.
pub(super) fn print_text(text: &str) -> Result<()> {
    print(&harmless_in_a_log(text))
}

/// Prints on standard output, unescaped, what a program or a CI runner parses.
pub(super) fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context(NOT_WRITTEN)
}

/// Why standard output fails.
pub(super) const NOT_WRITTEN: &str = "cannot write to standard output";
