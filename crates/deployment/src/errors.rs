//! Errors that several files here return.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use anyhow::anyhow;
use rewrite::plan::Problem;
use system::PathText;
use text::Message;

use crate::row::NotChecked;

/// The most problems that are printed. A broken tree has thousands, and Argo CD's UI shows one line for each.
const MAX_PROBLEMS: usize = 10;

/// The error that a file or a directory cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!(Message::new(format!("cannot be read: {error}")).about(path.shown()))
}

/// Joins all problems into one error. Each is printed as a message, so text from outside cannot add lines.
pub fn problems_error(problems: &[impl Display]) -> anyhow::Error {
    anyhow!(joined(problems))
}

fn joined(problems: &[impl Display]) -> String {
    let mut lines: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > MAX_PROBLEMS {
        lines.push(format!("and {} more", problems.len() - MAX_PROBLEMS));
    }
    lines.join("\n")
}

/// The problems of a source that was read: why nothing is planned for it.
#[derive(Debug)]
pub struct Refused(Vec<Problem>);

impl Refused {
    /// An error if there are problems.
    pub fn check(problems: &[Problem]) -> anyhow::Result<()> {
        if problems.is_empty() { Ok(()) } else { Err(anyhow!(Self(problems.to_vec()))) }
    }

    /// The first problem with its place and its help, and the others below it.
    pub fn reason(&self) -> NotChecked {
        let Some((first, others)) = self.0.split_first() else { return NotChecked::default() };
        let Problem { place, source, message, help, .. } = first;
        let mut message = Message::new(message.as_str());
        if !others.is_empty() {
            message.lines = joined(others).lines().map(ToOwned::to_owned).collect();
        }
        message.help = help.as_deref().map(ToOwned::to_owned);
        let message = match source {
            Some(source) => message.about(source),
            None => message,
        };
        NotChecked { at: place.clone(), ..NotChecked::of(message) }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0))
    }
}

impl std::error::Error for Refused {}
