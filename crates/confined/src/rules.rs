//! The files that a confined tool may open.

use std::path::PathBuf;

/// What a tool may do with a path, and with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// To read it. A symlink gives no right, because a stranger may have made it.
    Read,
    /// To read and change it. A symlink gives no right, either.
    Write,
    /// To read and execute it. A symlink is followed, so this is only for paths that no repository chooses.
    Use,
}

/// The files that a tool may open besides those that every program of the system needs. Paths that do not exist are
/// ignored.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Absolute paths, each with the right for it.
    pub paths: Vec<(Right, PathBuf)>,
    /// The newest version of Landlock's interface to use; tests pass older ones.
    pub version: u8,
}

impl Rules {
    /// The newest version of Landlock's interface that was tested (Linux 6.15).
    pub const NEWEST: u8 = 7;

    /// Rules for these paths, with the newest version of the interface.
    pub fn new(paths: Vec<(Right, PathBuf)>) -> Self {
        Self { paths, version: Self::NEWEST }
    }
}
