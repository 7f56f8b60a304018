//! Runs a tool on files that strangers wrote: with an environment that is spelled out, and with limits of time, output and memory.
//!
//! On Linux the launcher (`linux/launcher.rs`) starts the tool. On other systems memory has no limit, and denying the network is an error.
//!
//! The parent-death signal of Linux belongs to the *thread* that started the child. So [`run_confined`] starts the tool and waits for it on its
//! caller's thread, and returns only when the tool has ended: the thread cannot end before its child.

use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::confinement::{Confinement, Deadline, Program};
use super::here;

/// The maximum size of a tool's standard output, in bytes: Argo CD's own limit for a message.
pub const MAX_STDOUT: usize = 100 << 20;

/// The number of bytes kept of standard error. The last ones are kept, because the reason of a failure is at the end.
pub const KEPT_STDERR: usize = 64 << 10;

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// The first and the longest poll interval for a tool that has closed its streams and not yet ended.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(2));

/// What programs print when the memory limit stops them: the runtime of Go (`runtime/malloc.go`, `runtime/cgo/gcc_util.c`; last, one that crashed before it could say it), git, Rust.
const OUT_OF_MEMORY: [&[u8]; 5] =
    [b"ut of memory", b"annot allocate memory", b"pthread_create failed", b"memory allocation of ", b"violation\nPC="];

/// The length of the longest text of [`OUT_OF_MEMORY`]: that many bytes of a chunk are searched again together with the next chunk.
const LONGEST: usize = 21;

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It ended with this exit status.
    Exited(i32),
    /// A signal with this number killed it.
    Killed(i32),
}

/// The output of a tool that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The whole standard output.
    pub stdout: Vec<u8>,
    /// The last 64 KiB of standard error.
    pub stderr: Vec<u8>,
    /// The exit status or signal.
    pub status: Status,
    /// Standard error had one of the texts of [`OUT_OF_MEMORY`], perhaps before the part that is kept.
    said_out_of_memory: bool,
}

impl Ended {
    /// Whether the tool ended with exit status 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == Status::Exited(0)
    }

    /// Whether the tool probably failed because of a memory limit: it said so, or it was killed by a signal that only the kernel sends (when a
    /// container reaches its limit).
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        const SIGKILL: i32 = 9;
        self.status == Status::Killed(SIGKILL) || (self.said_out_of_memory && self.status != Status::Exited(0))
    }
}

/// Why a tool gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Starting the tool or setting a limit failed.
    Io(io::Error),
    /// The tool was still running at its deadline, and was killed.
    TooLong,
    /// The tool printed more than [`MAX_STDOUT`], and was killed.
    TooMuch,
    /// The tool and the processes it started took more memory than the limit, and were killed.
    TooMuchMemory,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The variable that makes the garbage collector of a Go program work harder above four fifths of a memory limit.
///
/// Without it the collector lets the heap grow to twice the memory in use, and a tool that needs half of the limit is killed (`runtime/debug`).
#[must_use]
pub fn go_memory_limit(memory: u64) -> (OsString, OsString) {
    ("GOMEMLIMIT".into(), format!("{}B", memory / 5 * 4).into())
}

/// Runs a tool to its end, with an empty standard input. The tool stays in our process group, and on Linux it is killed when we end.
///
/// At the deadline it gets SIGTERM, and one second later SIGKILL. Processes that the tool started are not killed here: those that called
/// [`die_with_parent`](super::die_with_parent), as the wrappers of the crate `render` do, are killed with the tool, and the others find their output closed.
pub fn run_confined(program: &Program, confinement: &Confinement) -> Result<Ended, Failure> {
    let mut command = here::command(program, confinement)?;
    command.env_clear().envs(program.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(if confinement.wall.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let (Some(rules), Some(input)) = (&confinement.wall, child.stdin.take()) {
        here::give(rules, input);
    }
    let result = watch(&mut child, confinement);
    match &result {
        Ok(_) => {}
        Err(Failure::TooMuch | Failure::TooMuchMemory) => kill(&mut child)?,
        Err(_) => end(&mut child)?,
    }
    let ended = result?;
    if let Status::Exited(status) = ended.status
        && let Some(error) = here::failure(status, &ended.stderr)
    {
        return Err(Failure::Io(error));
    }
    Ok(ended)
}

/// Reads both streams to their ends, and waits for the child.
fn watch(child: &mut Child, confinement: &Confinement) -> Result<Ended, Failure> {
    let missing = || io::Error::other("it has no output");
    let (stdout, stderr) = (child.stdout.take().ok_or_else(missing)?, child.stderr.take().ok_or_else(missing)?);
    let stdout = in_a_thread(move || all_of(stdout))?;
    let stderr = in_a_thread(move || tail_of(stderr))?;
    let limits = Limits { process: child.id(), memory: confinement.memory, deadline: confinement.deadline };
    let stdout = limits.rest_of(&stdout)?.ok_or(Failure::TooMuch)?;
    let tail = limits.rest_of(&stderr)?;
    let status = wait(child, confinement.deadline)?.ok_or(Failure::TooLong)?;
    Ok(Ended { stdout, stderr: tail.kept, status: status_of(status), said_out_of_memory: tail.said_out_of_memory })
}

/// The limits that are checked while a tool runs.
struct Limits {
    process: u32,
    memory: Option<u64>,
    deadline: Deadline,
}

impl Limits {
    /// Waits until a thread has read a stream of the tool to its end; fails as soon as a limit is reached.
    fn rest_of<T>(&self, stream: &Receiver<T>) -> Result<T, Failure> {
        loop {
            let pause = here::pause(self.process, self.memory).ok_or(Failure::TooMuchMemory)?;
            match stream.recv_timeout(self.deadline.left().min(pause)) {
                Ok(rest) => return Ok(rest),
                Err(RecvTimeoutError::Timeout) if !self.deadline.is_over() => {}
                Err(_) => return Err(Failure::TooLong),
            }
        }
    }
}

/// Runs a function in a thread that can be abandoned at the deadline. Fails when no thread can be started.
fn in_a_thread<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> io::Result<Receiver<T>> {
    let (sender, receiver) = mpsc::channel();
    // Sending fails when the receiver was abandoned.
    thread::Builder::new().spawn(move || drop(sender.send(read())))?;
    Ok(receiver)
}

/// The whole content of a stream; `None` when it is more than [`MAX_STDOUT`] bytes. A read error counts as the end.
fn all_of(stream: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    drop(stream.take(MAX_STDOUT as u64 + 1).read_to_end(&mut bytes));
    (bytes.len() <= MAX_STDOUT).then_some(bytes)
}

struct Tail {
    kept: Vec<u8>,
    said_out_of_memory: bool,
}

fn tail_of(mut stream: impl Read) -> Tail {
    let mut tail = Tail { kept: Vec::new(), said_out_of_memory: false };
    let mut chunk = [0; 8 << 10];
    loop {
        let length = match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let searched = tail.kept.len().saturating_sub(LONGEST);
        tail.kept.extend_from_slice(&chunk[..length]);
        tail.said_out_of_memory |=
            OUT_OF_MEMORY.iter().any(|words| memchr::memmem::find(&tail.kept[searched..], words).is_some());
        // Not for each chunk: moving the bytes costs more than reading them.
        if tail.kept.len() > 4 * KEPT_STDERR {
            tail.kept.drain(..tail.kept.len() - KEPT_STDERR);
        }
    }
    tail.kept.drain(..tail.kept.len().saturating_sub(KEPT_STDERR));
    tail
}

fn wait(child: &mut Child, deadline: Deadline) -> io::Result<Option<ExitStatus>> {
    let (mut pause, longest) = PAUSES;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if deadline.left().is_zero() {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(longest);
    }
}

/// Ends a child, and gives it time to clean up.
fn end(child: &mut Child) -> io::Result<()> {
    if here::terminate(child) && wait(child, Deadline::after(GRACE))?.is_some() {
        return Ok(());
    }
    kill(child)
}

/// Kills a child. Waiting for it leaves no zombie.
fn kill(child: &mut Child) -> io::Result<()> {
    // Killing fails when the child has just ended.
    drop(child.kill());
    child.wait().map(drop)
}

fn status_of(status: ExitStatus) -> Status {
    system::signal(status).map_or_else(|| Status::Exited(status.code().unwrap_or(-1)), Status::Killed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_stream_is_kept_and_all_of_it_searched() {
        assert_eq!(LONGEST, OUT_OF_MEMORY.iter().map(|words| words.len()).max().unwrap());
        let mut text = b"fatal error: runtime: out of memory\n".to_vec();
        text.resize(1 << 20, b'x');
        text.extend_from_slice(b"end");
        let tail = tail_of(&text[..]);
        assert!(tail.said_out_of_memory);
        assert_eq!(tail.kept.len(), KEPT_STDERR);
        assert!(tail.kept.ends_with(b"xend"));
        // The text is split between two chunks.
        let mut text = vec![b'x'; (8 << 10) - 5];
        text.extend_from_slice(b"cannot allocate memory");
        assert!(tail_of(&text[..]).said_out_of_memory);
        assert!(tail_of(&b"SIGSEGV: segmentation violation\nPC=0x43 m=3"[..]).said_out_of_memory);
        assert!(!tail_of(&b"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0]"[..]).said_out_of_memory);
    }

    #[test]
    fn the_collector_of_go_works_harder_before_the_limit() {
        assert_eq!(go_memory_limit(1 << 30), ("GOMEMLIMIT".into(), "858993456B".into()));
    }
}
