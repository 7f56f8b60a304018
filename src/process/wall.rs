//! The wall around the tools: Landlock, with which a process of Linux gives up the right to open what is not on a list.

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
    use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_landlock() -> bool {
    false
}
