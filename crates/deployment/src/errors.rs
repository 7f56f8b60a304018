//! Errors that several files here return.

use std::fmt::Display;
use std::io;
use std::path::Path;

use anyhow::anyhow;
use system::PathText;
use text::Message;

/// The most problems that are printed. A broken tree has thousands, and Argo CD's UI shows one line for each.
const MAX_PROBLEMS: usize = 10;

/// The error that a file or a directory cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!(Message::new(format!("cannot be read: {error}")).about(path.shown()))
}

/// Joins all problems into one error. Each is printed as a message, so text from outside cannot add lines.
pub fn problems_error(problems: &[impl Display]) -> anyhow::Error {
    let mut lines: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > MAX_PROBLEMS {
        lines.push(format!("and {} more", problems.len() - MAX_PROBLEMS));
    }
    anyhow!(lines.join("\n"))
}
