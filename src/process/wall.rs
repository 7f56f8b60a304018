//! The wall around the tools: Landlock, with which a Linux process gives up the right to open files that are not on a list (`landlock.rs`).

use std::path::PathBuf;
use std::sync::OnceLock;

/// What keeps helm, kustomize and the programs that they start inside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// The kernel: a tool cannot open any other file, however its path is written.
    Kernel,
    /// This program reads charts and kustomizations first, and refuses those that it cannot read or judge: on a kernel without Landlock (before
    /// Linux 5.13, or turned off), and on other systems.
    Reading,
}

/// The wall on this machine. Asks the kernel once.
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

/// What a tool may do with a path, and with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read it. A path that is a symlink gives no right: a stranger may have made the symlink.
    Read,
    /// Read and change it. A symlink gives no right either.
    Write,
    /// Read and execute it. A symlink is followed, so this is only for paths that no repository chooses.
    Use,
}

/// The files that a tool may open, in addition to those that every program of this system needs. Paths that do not exist are ignored.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Absolute paths.
    pub paths: Vec<(Right, PathBuf)>,
    /// The newest version of Landlock's interface to use; tests pass older ones.
    pub version: u8,
}

impl Rules {
    /// The newest version of Landlock's interface that has been tested, of Linux 6.15.
    pub const NEWEST: u8 = 7;

    /// Rules for these paths, with the newest version of the interface.
    pub fn new(paths: Vec<(Right, PathBuf)>) -> Self {
        Self { paths, version: Self::NEWEST }
    }
}
