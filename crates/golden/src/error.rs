//! The error that keeps a case, or all cases, from running: a mistake in their files, or an error of the operating system.

use std::path::Path;
use std::{fmt, io};

use text::{LineColumn, Message};

use super::shown;

/// Why a case, or all cases, cannot run. Displays as the path, what is wrong, and a `help:` line where there is advice.
#[derive(Debug)]
pub struct Error(Message);

impl Error {
    /// An error about a file or a directory.
    pub(super) fn about(path: &Path, message: Message) -> Self {
        Self(message.about(shown(path)))
    }

    /// The error that a file or a directory cannot be read.
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::about(path, Message::new(format!("cannot be read: {error}")))
    }

    /// A mistake at a place in the file `case` of the case in `dir`.
    pub(super) fn in_case_file(dir: &Path, at: LineColumn, message: Message) -> Self {
        Self(message.about(format_args!("{}:{at}", shown(&dir.join("case")))))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}
