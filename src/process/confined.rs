//! Runs one tool that works on what strangers wrote: with an environment that is spelled out, and limits of time, output and memory.
//!
//! On Linux the tool is started through the launcher (`launcher.rs`). Elsewhere memory has no limit, and denying the network is an error.
//!
//! The parent-death signal of Linux belongs to the *thread* that started the child. So [`run_confined`] starts the tool and waits for it
//! on the thread of its caller, and returns only when the tool has ended: no thread can end before its child.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use super::launcher::{self, Order};
use super::rules::Rules;

/// What a tool may print on standard output, in bytes: Argo CD's own limit of a message.
pub const MAX_STDOUT: usize = 100 << 20;

/// How much of standard error is kept, in bytes: its end, where the reason is.
pub const KEPT_STDERR: usize = 64 << 10;

/// How long a tool may go on after SIGTERM, until SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// Poll interval for a tool that has closed its streams and not ended yet: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(2));

/// What programs say when the memory limit stops them: the runtime of Go (`runtime/malloc.go`, `runtime/cgo/gcc_util.c`), git, Rust.
const OUT_OF_MEMORY: [&[u8]; 4] =
    [b"ut of memory", b"annot allocate memory", b"pthread_create failed", b"memory allocation of "];

/// The longest of [`OUT_OF_MEMORY`]: so much of a chunk is searched again with the next one.
const LONGEST: usize = 21;

/// A moment after which a tool is ended. One deadline can hold for several tools, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The moment when `time` has passed from now on; never, when the clock cannot tell it.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// True when the moment is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.left() == Duration::ZERO
    }

    /// The time that is left; zero when the deadline has passed.
    pub(super) fn left(self) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}

/// Whether a tool may open sockets other than Unix sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// It may.
    Allowed,
    /// Opening one fails with "permission denied".
    Denied,
}

/// What a tool may do.
#[derive(Debug, Clone)]
pub struct Confinement {
    /// The path of this program, which starts itself under another name to set limits.
    pub launcher: PathBuf,
    /// The memory limit for the tool and all processes that it starts together, in bytes; none for no limit. It is also the `RLIMIT_DATA` of each
    /// process, so that most programs fail by themselves, with a message.
    ///
    /// It is not a limit of address space (`RLIMIT_AS`): the runtime of Go reserves far more than it uses. Measured with helm 3.19.4 on a
    /// chart of one object, and of 50 objects: 1.7 to 1.9 GiB of address space, 130 MiB of data, 53 MiB resident; kustomize 5.8.1: 1.6 GiB,
    /// 110 MiB, 18 MiB. With `RLIMIT_AS` of 1 GiB most runs ended in `fatal error: out of memory` or `pthread_create failed`; with
    /// `RLIMIT_DATA` of 256 MiB all succeeded. The kernel counts private writable pages, and not what is only reserved. With 1 GiB,
    /// `{{ range until 100000000 }}`, `{{ repeat 1000000000 "x" }}` and a variable that doubles 60 times ended within 2 s at 1.1 GB.
    pub memory: Option<u64>,
    /// Whether it may use the network.
    pub network: Network,
    /// The files that it may open; none for all files. If the kernel cannot enforce the rules ([`wall`](super::wall())), starting the tool is an error.
    pub wall: Option<Rules>,
    /// When it is ended.
    pub deadline: Deadline,
}

/// What is to be started.
#[derive(Debug, Clone)]
pub struct Program {
    /// The absolute path of its file.
    pub path: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// Its whole environment; nothing of ours is added.
    pub environment: Vec<(OsString, OsString)>,
    /// Its working directory.
    pub dir: PathBuf,
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// What a tool printed, and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// All of standard output.
    pub stdout: Vec<u8>,
    /// The last 64 KiB of standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub status: Status,
    /// It said so on standard error, perhaps before the part that is kept.
    said_out_of_memory: bool,
}

impl Ended {
    /// True when the tool says that it succeeded: exit status 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == Status::Exited(0)
    }

    /// True when the tool failed because of the limit of memory, as far as one can tell: it said so, or was killed by a signal that
    /// only the kernel sends (a container's limit).
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        const SIGKILL: i32 = 9;
        self.status == Status::Killed(SIGKILL) || (self.said_out_of_memory && self.status != Status::Exited(0))
    }
}

/// Why a tool gave no result.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started, or a limit could not be set.
    Io(io::Error),
    /// It was not done at its deadline, and was ended.
    TooLong,
    /// It printed more than [`MAX_STDOUT`], and was ended.
    TooMuch,
    /// It and the processes that it has started took more memory than the limit, and were killed.
    TooMuchMemory,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The variable that makes the garbage collector of a Go program work harder from four fifths of a limit of memory on.
///
/// Without it the collector lets the heap grow to twice of what is used, and a tool dies that needs half of the limit. (`runtime/debug`)
#[must_use]
pub fn go_memory_limit(memory: u64) -> (OsString, OsString) {
    ("GOMEMLIMIT".into(), format!("{}B", memory / 5 * 4).into())
}

/// Runs a tool to its end, with nothing as standard input. It stays in our process group, and dies with us (on Linux).
///
/// At the deadline it gets SIGTERM, and SIGKILL a second later. Processes that the tool starts are not ended here: those behind our
/// wrappers die with it, and the others find their output closed.
pub fn run_confined(program: &Program, confinement: &Confinement) -> Result<Ended, Failure> {
    let mut command = command(program, confinement)?;
    command.env_clear().envs(program.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(if confinement.wall.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    #[cfg(target_os = "linux")]
    if let (Some(rules), Some(input)) = (&confinement.wall, child.stdin.take()) {
        launcher::give(rules, input);
    }
    let result = watch(&mut child, confinement);
    match &result {
        Ok(_) => {}
        Err(Failure::TooMuch | Failure::TooMuchMemory) => kill(&mut child)?,
        Err(_) => end(&mut child)?,
    }
    let ended = result?;
    #[cfg(target_os = "linux")]
    if let Status::Exited(status) = ended.status
        && let Some(error) = launcher::failure(status, &ended.stderr)
    {
        return Err(Failure::Io(error));
    }
    Ok(ended)
}

#[cfg(target_os = "linux")]
fn command(program: &Program, confinement: &Confinement) -> io::Result<Command> {
    if !program.path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path of the tool is not absolute"));
    }
    let order = Order {
        parent: std::process::id(),
        memory: confinement.memory,
        network_denied: confinement.network == Network::Denied,
        wall: confinement.wall.clone(),
        dir: program.dir.clone(),
    };
    Ok(launcher::command(&confinement.launcher, &order, &program.path, &program.arguments))
}

#[cfg(not(target_os = "linux"))]
fn command(program: &Program, confinement: &Confinement) -> io::Result<Command> {
    if confinement.network == Network::Denied {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the network can be blocked only on Linux"));
    }
    if confinement.wall.is_some() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux can limit which files a program opens"));
    }
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).current_dir(&program.dir);
    Ok(command)
}

/// Reads both streams to their ends and waits for the end of the child.
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
    /// Waits for what a thread reads from a stream of the tool; an error as soon as a limit is reached.
    fn rest_of<T>(&self, stream: &Receiver<T>) -> Result<T, Failure> {
        loop {
            let pause = self.pause().ok_or(Failure::TooMuchMemory)?;
            match stream.recv_timeout(self.deadline.left().min(pause)) {
                Ok(rest) => return Ok(rest),
                Err(RecvTimeoutError::Timeout) if !self.deadline.is_over() => {}
                Err(_) => return Err(Failure::TooLong),
            }
        }
    }

    /// The time until the memory has to be measured again; none if the tool has reached its limit.
    #[cfg(target_os = "linux")]
    fn pause(&self) -> Option<Duration> {
        match self.memory {
            Some(limit) => super::memory::pause(self.process, limit),
            None => Some(Duration::MAX),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn pause(&self) -> Option<Duration> {
        let _ = (self.process, self.memory);
        Some(Duration::MAX)
    }
}

/// Runs a function in a thread, which can be abandoned at the deadline. An error when there can be no more threads.
fn in_a_thread<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> io::Result<Receiver<T>> {
    let (sender, receiver) = mpsc::channel();
    // The receiver may be gone.
    thread::Builder::new().spawn(move || drop(sender.send(read())))?;
    Ok(receiver)
}

/// All that a stream holds; `None` when that is more than [`MAX_STDOUT`]. A read error counts as the end.
fn all_of(stream: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    drop(stream.take(MAX_STDOUT as u64 + 1).read_to_end(&mut bytes));
    (bytes.len() <= MAX_STDOUT).then_some(bytes)
}

/// The end of a stream.
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
        // Not at each chunk: moving the bytes costs more than reading them.
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

/// Ends a child that may have time to tidy up.
fn end(child: &mut Child) -> io::Result<()> {
    if terminate(child) && wait(child, Deadline::after(GRACE))?.is_some() {
        return Ok(());
    }
    kill(child)
}

/// Ends a child at once. Waiting leaves no zombie behind.
fn kill(child: &mut Child) -> io::Result<()> {
    // It may have ended just now.
    drop(child.kill());
    child.wait().map(drop)
}

/// Asks a child to end; false when that is not possible.
#[cfg(target_os = "linux")]
fn terminate(child: &Child) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    // Nobody has waited for it yet, so that its number is still its own.
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn terminate(_: &Child) -> bool {
    false
}

#[cfg(unix)]
fn status_of(status: ExitStatus) -> Status {
    use std::os::unix::process::ExitStatusExt;
    status.signal().map_or(Status::Exited(status.code().unwrap_or(-1)), Status::Killed)
}

#[cfg(not(unix))]
fn status_of(status: ExitStatus) -> Status {
    Status::Exited(status.code().unwrap_or(-1))
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
        // Across two chunks.
        let mut text = vec![b'x'; (8 << 10) - 5];
        text.extend_from_slice(b"cannot allocate memory");
        assert!(tail_of(&text[..]).said_out_of_memory);
        assert!(!tail_of(&b"memory"[..]).said_out_of_memory);
    }

    #[test]
    fn the_collector_of_go_works_harder_before_the_limit() {
        assert_eq!(go_memory_limit(1 << 30), ("GOMEMLIMIT".into(), "858993456B".into()));
    }
}
