//! Limits that a process on Linux sets for itself before it becomes a tool. The tool and all processes it starts
//! inherit them, except for the parent-death signal.

use std::collections::BTreeMap;
use std::{fs, io, thread};

use rustix::process::{Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::memory;
use crate::Share;

/// The number of the parent process; `None` when the parent is outside of our container.
pub(super) fn parent() -> Option<u32> {
    getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// Has the kernel kill this process when its parent ends. Fails when the parent has ended already; `has_parent`
/// checks that.
///
/// The kernel means the thread that started this process (prctl(2)). A process that is started later does not inherit
/// the signal.
pub(super) fn die_with(has_parent: impl FnOnce() -> bool) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if has_parent() { Ok(()) } else { Err(io::Error::other("argocd-jobs has ended")) }
}

/// When memory is short, the kernel kills this process first. Setting this needs no privileges; where it fails (no
/// `/proc`), the kernel chooses by size.
pub(super) fn first_to_be_killed() {
    drop(fs::write("/proc/self/oom_score_adj", "1000"));
}

/// No program that is started from now on can gain privileges from its file (setuid), and none writes a core dump.
pub(super) fn no_more_rights() -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    Ok(setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?)
}

/// The maximum size of a file that a tool may write, in bytes: larger than any chart or repository that is read.
const MAX_FILE: u64 = 256 << 20;

/// Limits the size of each written file; a larger one ends the process with SIGXFSZ. So the answer of a server cannot
/// fill the disk.
pub(super) fn files() -> io::Result<()> {
    let limit = Rlimit { current: Some(MAX_FILE), maximum: Some(MAX_FILE) };
    setrlimit(Resource::Fsize, limit).map_err(|error| named("the size of files cannot be limited", error.into()))
}

/// The memory, in bytes, for reading and rewriting the manifests of one Application, if the container has that much:
/// 100 MiB of manifests take up to half of it.
const OWN: u64 = 1 << 30;

/// The memory, in bytes, for everything that a repository deploys, in two versions, if the container has that much.
const OWN_OF_MANY: u64 = 4 << 30;

/// Limits the memory of this process, so that it ends before the kernel kills processes of the container: the
/// allocator prints `memory allocation of N bytes failed` and aborts. Tools that the process starts do not have this
/// limit. A lower limit stays as it is.
pub fn limit_own_memory() {
    limit_own(OWN);
}

/// Limits the memory of this process for a command that reads many Applications, and watches it on another thread: when
/// it reaches four fifths of the limit, `exceeded` is called with that number of bytes. It prints a message and ends the
/// process.
pub fn watch_own_memory(exceeded: fn(u64)) {
    let most = limit_own(OWN_OF_MANY) / 5 * 4;
    // If no thread can be started, the limit of the system is left.
    let _ = thread::Builder::new().spawn(move || {
        while let Some(pause) = memory::own_pause(most) {
            thread::sleep(pause);
        }
        exceeded(most);
    });
}

/// Returns the limit in bytes, which is lower than `wanted` if the container has less, or a lower one is set.
fn limit_own(wanted: u64) -> u64 {
    let most = Share::of_container(wanted).map_or(wanted, |share| share.each);
    let limit = getrlimit(Resource::Data);
    if let Some(current) = limit.current.filter(|current| *current <= most) {
        return current;
    }
    // Lowering a limit cannot fail; otherwise the limit of the container would apply.
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(most), ..limit });
    most
}

/// Removes the limit of [`limit_own_memory`] or [`watch_own_memory`].
pub(super) fn no_own_limit() -> io::Result<()> {
    let limit = getrlimit(Resource::Data);
    Ok(setrlimit(Resource::Data, Rlimit { current: limit.maximum, ..limit })?)
}

/// Limits the data segment (`RLIMIT_DATA`) of each process, in bytes.
pub(super) fn data(bytes: u64) -> io::Result<()> {
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit).map_err(|error| named("the memory cannot be limited", error.into()))
}

/// From now on only Unix sockets can be opened; others fail with "permission denied". `io_uring` is blocked, too,
/// because it could open sockets another way.
pub(super) fn no_network() -> io::Result<()> {
    let apply = || -> Result<(), Box<dyn std::error::Error>> {
        let is_other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, unix_sockets())?;
        let denied = SeccompRule::new(vec![is_other])?;
        let filter = SeccompFilter::new(
            BTreeMap::from([(libc::SYS_socket, vec![denied]), (libc::SYS_io_uring_setup, Vec::new())]),
            SeccompAction::Allow,
            SeccompAction::Errno(libc::EACCES.unsigned_abs()),
            std::env::consts::ARCH.try_into()?,
        )?;
        let program: BpfProgram = filter.try_into()?;
        Ok(seccompiler::apply_filter(&program)?)
    };
    apply().map_err(|error| named("the network cannot be blocked", io::Error::other(error.to_string())))
}

/// `AF_UNIX` in the type of the system call's argument.
fn unix_sockets() -> u64 {
    u64::from(libc::AF_UNIX.unsigned_abs())
}

fn named(what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
