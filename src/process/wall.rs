//! The wall around the tools: Landlock, with which a process of Linux gives up the right to open what is not on a list (`landlock.rs`).

use std::path::PathBuf;
use std::sync::OnceLock;

/// What keeps helm and kustomize, and what they start, inside of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// The kernel: a tool cannot open anything else, however its path is written.
    Kernel,
    /// Our own reading of charts and kustomizations, which refuses what it cannot read or decide. So on a kernel without Landlock (before
    /// Linux 5.13, or turned off), and on other systems.
    Reading,
}

/// The wall that there is on this machine. The kernel is asked once.
pub fn wall() -> Wall {
    static FOUND: OnceLock<Wall> = OnceLock::new();
    *FOUND.get_or_init(|| if has_landlock() { Wall::Kernel } else { Wall::Reading })
}

#[cfg(target_os = "linux")]
fn has_landlock() -> bool {
    super::landlock::is_there()
}

#[cfg(not(target_os = "linux"))]
fn has_landlock() -> bool {
    false
}

/// What a tool may do with a path, and with all that is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read it. A path that is a symlink gives nothing: a stranger may have made it.
    Read,
    /// Read and change it; likewise.
    Write,
    /// Read and start it. A symlink is followed: only for paths that no repository chooses.
    Use,
}

/// What a tool may open, besides what every program of this system needs. What is missing is left out.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Absolute paths.
    pub paths: Vec<(Right, PathBuf)>,
    /// The newest version of Landlock's interface that is used; a test takes an older one.
    pub version: u8,
}

impl Rules {
    /// The newest version of Landlock's interface that was seen to work: Linux 6.15.
    pub const NEWEST: u8 = 7;

    /// With the newest version.
    pub fn new(paths: Vec<(Right, PathBuf)>) -> Self {
        Self { paths, version: Self::NEWEST }
    }
}
