//! Runs the program under limits of memory and processor time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::program::{self, Output};
use crate::support::switches;

/// A megabyte.
pub(crate) const MIB: usize = 1024 * 1024;

/// How much a run may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Address space: more than what is really used.
    pub(crate) memory: usize,
    /// Processor time, after which the system ends the program. Time in which other programs have the processor does not count.
    pub(crate) time: Duration,
}

impl Bounds {
    /// The bounds for an input of `input` bytes: the input, the output and a tree of a part of it, at a few hundred kilobytes a second.
    pub(crate) fn of(input: usize) -> Self {
        Self { memory: 256 * MIB + 12 * input, time: Duration::from_secs(60 + 4 * (input / MIB) as u64) }
    }
}

/// Runs the program with `arguments`; fails when it takes more than `bounds` of processor time. It gets no more memory than that.
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

/// A shell with an empty environment; what follows as arguments is `$0`, `$1` and so on.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.arg("-c").arg(script).stdin(Stdio::null());
    command
}
