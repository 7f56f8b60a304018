//! Runs the program with limits of memory and processor time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::program::{self, Output};
use crate::support::switches;

/// A mebibyte in bytes.
pub(crate) const MIB: usize = 1024 * 1024;

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The address space in bytes; it is larger than the memory in use.
    pub(crate) memory: usize,
    /// The processor time after which the system kills the program. Time used by other programs does not count.
    pub(crate) time: Duration,
}

impl Bounds {
    /// The limits for an input of `input` bytes: memory for the input, the output and the tree of a part of it, and
    /// time at a few hundred kilobytes a second.
    pub(crate) fn of(input: usize) -> Self {
        Self { memory: 256 * MIB + 12 * input, time: Duration::from_secs(60 + 4 * (input / MIB) as u64) }
    }
}

/// Runs the program with `arguments`; fails when it exceeds the processor time. The memory limit makes the program
/// itself fail.
#[track_caller]
pub(crate) fn run_within(bounds: Bounds, arguments: &[&str], input: &[u8]) -> Output {
    let output = program::run(limited(bounds, arguments), input);
    assert!(output.status.is_some(), "a signal ended it; it may take {:?} of processor time", bounds.time);
    output
}

/// The program, started by a shell that sets both limits.
pub(crate) fn limited(bounds: Bounds, arguments: &[&str]) -> Command {
    let mut command = shell("ulimit -v \"$0\"; ulimit -t \"$1\"; shift; exec \"$@\"");
    command.arg((bounds.memory / 1024).to_string()).arg(bounds.time.as_secs().to_string());
    command.arg(switches::program()).args(arguments);
    command
}

/// A shell with an empty environment. The arguments added later are `$0`, `$1` and so on.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.arg("-c").arg(script).stdin(Stdio::null());
    command
}
