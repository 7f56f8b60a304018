//! Simulates a kernel without Landlock. `tests/support/without_landlock.rs` makes a program of it.

use std::cell::Cell;
use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// From now on the kernel behaves for this thread, and for the processes it starts, as if it had no Landlock.
pub(crate) fn deny() {
    thread_local! {
        static IS_DENIED: Cell<bool> = const { Cell::new(false) };
    }
    if IS_DENIED.replace(true) {
        return;
    }
    let calls = BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]);
    let not_implemented = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, not_implemented, arch).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}
