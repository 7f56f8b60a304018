//! Runs the program under limits of memory and processor time, or measures its processor time.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use wait4::Wait4;

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

/// What a run may take whose time is measured. How large its input is depends on how fast the machine is, so this only keeps the machine
/// from harm: what memory an input may cost is tested at sizes that are the same everywhere.
const UNMEASURED: Bounds = Bounds { memory: 4096 * MIB, time: Duration::from_secs(3_600) };

/// Runs the program and returns the processor time that it used, of all its threads, in user and kernel mode.
///
/// Unlike the wall-clock time it does not count the time in which other programs had the processor.
#[track_caller]
pub(crate) fn processor_time(arguments: &[&str], input: &[u8]) -> Duration {
    let mut child = limited(UNMEASURED, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut stderr = child.stderr.take().unwrap();
    let mut message = String::new();
    thread::scope(|scope| {
        // A program that refuses early closes its input: that is not a failure of the test.
        scope.spawn(move || drop(stdin.write_all(input)));
        scope.spawn(|| stderr.read_to_string(&mut message).unwrap());
        std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    });
    let ended = child.wait4().unwrap();
    assert!(matches!(ended.status.code(), Some(0..=2)), "{arguments:?}: {message}");
    ended.rusage.utime + ended.rusage.stime
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

/// Runs the program in `dir` with as much memory for data as is promised for `read` bytes of input: 64 MiB and eight times that.
pub(crate) fn run_within_data(dir: &Path, arguments: &[&str], input: &[u8], read: usize) -> Output {
    let mut command = shell("ulimit -d \"$0\"; exec \"$@\"");
    command.arg(((64 * MIB + 8 * read) / 1024).to_string()).arg(switches::program()).args(arguments);
    command.current_dir(dir);
    program::run(command, input)
}
