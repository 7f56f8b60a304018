//! Runs the program under a limit of memory and against the clock.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::support::program::{self, Output};

/// A megabyte.
pub(crate) const MIB: usize = 1024 * 1024;

/// How much a run may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Address space: more than what is really used.
    pub(crate) memory: usize,
    /// Wall-clock time.
    pub(crate) time: Duration,
}

impl Bounds {
    /// What is right for an input of so many bytes: the input, the output and a tree of a part of it, at a few megabytes a second.
    pub(crate) fn of(input: usize) -> Self {
        Self { memory: 256 * MIB + 12 * input, time: Duration::from_secs(10 + (input / MIB) as u64) }
    }
}

/// Whoever compares times has the machine for itself: other runs of this test program wait.
pub(crate) static MACHINE: RwLock<()> = RwLock::new(());

/// Runs the program with `arguments`; fails when it takes more than `bounds` of time. More memory than that it does not get.
#[track_caller]
pub(crate) fn run_within(bounds: Bounds, arguments: &[&str], input: &[u8]) -> Output {
    let _shared = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    time(bounds, arguments, input).0
}

/// Runs the program and says what it took.
#[track_caller]
pub(crate) fn time(bounds: Bounds, arguments: &[&str], input: &[u8]) -> (Output, Duration) {
    let start = Instant::now();
    let output = program::run(limited(bounds, arguments), input);
    let took = start.elapsed();
    assert!(took <= bounds.time, "it took {took:?}, and may take {:?}", bounds.time);
    (output, took)
}

/// The program behind a shell that sets the limit and steps aside.
pub(crate) fn limited(bounds: Bounds, arguments: &[&str]) -> Command {
    let mut command = shell("ulimit -v \"$0\"; exec \"$@\"");
    command.arg((bounds.memory / 1024).to_string()).arg(env!("CARGO_BIN_EXE_argocd-jobs")).args(arguments);
    command
}

/// A shell with an empty environment; what follows as arguments is `$0`, `$1` and so on.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.arg("-c").arg(script).stdin(Stdio::null());
    command
}

/// Runs the program in `dir` with as much memory for data as is promised for `read` bytes of input: 64 MiB and eight times that.
pub(crate) fn run_within_data(dir: &Path, arguments: &[&str], input: &[u8], read: usize) -> Output {
    let _shared = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    let mut command = shell("ulimit -d \"$0\"; exec \"$@\"");
    command.arg(((64 * MIB + 8 * read) / 1024).to_string()).arg(env!("CARGO_BIN_EXE_argocd-jobs")).args(arguments);
    command.current_dir(dir);
    program::run(command, input)
}
