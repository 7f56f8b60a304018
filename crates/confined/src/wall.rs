//! Whether this machine has Landlock, with which a Linux process gives up the right to open files that are not on a
//! list (`linux/landlock.rs`).

use std::sync::OnceLock;

/// What keeps helm, kustomize and the programs they start inside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// The kernel (Landlock): a tool cannot open any other file, however the path is written.
    Kernel,
    /// This program, which reads charts and kustomizations first and refuses those that it cannot read or judge: on
    /// other systems, and on a kernel without Landlock (before Linux 5.13, or turned off).
    Reading,
}

/// The wall on this machine. Only the first call asks the kernel.
pub fn wall() -> Wall {
    static FOUND: OnceLock<Wall> = OnceLock::new();
    *FOUND.get_or_init(|| if super::here::has_landlock() { Wall::Kernel } else { Wall::Reading })
}
