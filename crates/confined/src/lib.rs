#![doc = include_str!("../README.md")]
//!
//! Only this crate starts processes, but for tests. It uses no shell and no terminal, reads both output streams to their ends, and leaves no process running.
//!
//! The caller chooses program, arguments and environment. [`run`] and [`Session`] are for trusted programs, such as the user's git; [`run_confined`] is
//! for tools that work on files that strangers wrote.

#![allow(clippy::disallowed_methods, reason = "this crate starts processes")]

mod confined;
mod confinement;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod private_dir;
mod rules;
mod tree;
mod wall;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// A program to start, with its arguments and environment.
pub use std::process::Command;

pub use confined::{Ended, Failure, KEPT_STDERR, MAX_STDOUT, Status, go_memory_limit, run_confined};
pub use confinement::{Confinement, Deadline, Network, Program};
pub use private_dir::{PrivateDir, unguessable};
pub use rules::{Right, Rules};
pub use wall::{Wall, wall};

#[cfg(not(target_os = "linux"))]
use elsewhere as here;
#[cfg(target_os = "linux")]
use linux as here;

pub use here::{DENIES_NETWORK, HAS_LAUNCHER, Slot, become_other, die_with_parent, limit_own_memory, watch_own_memory};

/// How the memory of a container is divided among renderings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The container's limit in bytes.
    pub container: u64,
    /// The memory for all processes of one rendering together, in bytes.
    pub each: u64,
    /// The number of renderings that may run at once; at least one.
    pub count: usize,
}

/// Replaces this process by another program (`exec`). Returns only when that fails.
#[cfg(unix)]
pub fn become_program(mut command: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Always an error: only Unix has `exec`.
#[cfg(not(unix))]
pub fn become_program(_: Command) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

/// The poll interval for a program that has closed its streams and not yet ended.
const PAUSE: Duration = Duration::from_millis(1);

/// The output of a program that has ended.
#[derive(Debug)]
pub struct Output {
    /// The whole standard output.
    pub stdout: Vec<u8>,
    /// The whole standard error.
    pub stderr: Vec<u8>,
    /// The exit status; `None` when a signal ended the program.
    pub status: Option<i32>,
}

/// Runs a program to its end; without `input` its standard input is empty. `None` when it took longer than `limit`
/// and was killed.
pub fn run(mut command: Command, input: Option<File>, limit: Duration) -> io::Result<Option<Output>> {
    command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let end = Instant::now() + limit;
    let output = watch(&mut child, end);
    if !matches!(output, Ok(Some(_))) {
        // Killing fails when the program has just ended.
        drop(child.kill());
        child.wait()?;
    }
    output
}

fn watch(child: &mut Child, end: Instant) -> io::Result<Option<Output>> {
    let stdout = child.stdout.take().map(read).transpose()?;
    let stderr = child.stderr.take().map(read).transpose()?;
    Ok((|| {
        let (stdout, stderr) = (rest_of(stdout, end)?, rest_of(stderr, end)?);
        Some(Output { stdout, stderr, status: wait(child, end)?.code() })
    })())
}

/// A running program that answers questions. Dropping the session kills it.
#[derive(Debug)]
pub struct Session {
    process: Child,
    /// The standard input of the program.
    pub questions: ChildStdin,
    /// The standard output of the program.
    pub answers: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a program. Its standard error is discarded.
    pub fn open(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { process, questions, answers: BufReader::with_capacity(1 << 16, answers) })
            }
            _ => Err(io::Error::other("it has no standard input")),
        }
    }

    /// Kills the program; it gives no more answers.
    pub fn end(&mut self) -> io::Result<()> {
        self.process.kill()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Killing fails when the program has ended already. Waiting for it leaves no zombie.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Reads a stream to its end in a thread that can be abandoned when the time is over.
fn read(mut stream: impl Read + Send + 'static) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // A read error counts as the end of the stream. Sending fails when the receiver was abandoned.
        drop(stream.read_to_end(&mut bytes));
        drop(sender.send(bytes));
    })?;
    Ok(receiver)
}

fn rest_of(stream: Option<Receiver<Vec<u8>>>, end: Instant) -> Option<Vec<u8>> {
    stream?.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
}

fn wait(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= end {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Option<Output> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        run(command, None, limit).unwrap()
    }

    #[test]
    fn a_program_that_hangs_is_killed() {
        for script in ["exec sleep 60", "exec >&- 2>&-; exec sleep 60", "sleep 3 & exit 0"] {
            assert!(shell(script, Duration::from_millis(100)).is_none(), "{script}");
        }
    }

    #[test]
    fn both_streams_are_read_to_their_end() {
        let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3";
        let output = shell(script, Duration::from_secs(60)).unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len(), output.status), (300_000, 300_000, Some(3)));
        assert_eq!(shell("kill -9 $$", Duration::from_secs(60)).unwrap().status, None);
    }
}
