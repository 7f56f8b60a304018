//! What only Linux can do: a tool that dies with this program, limits of its memory, its files and its network, and a janitor.

mod janitor;
mod landlock;
mod launcher;
mod limits;
mod memory;
mod slot;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::rules::Rules;
use super::{Confinement, Network, Program};
use launcher::Order;
pub use limits::{limit_own_memory, watch_own_memory};
pub use slot::Slot;

/// Whether tools are started through the launcher, so that its limits hold for all that they start.
pub const HAS_LAUNCHER: bool = true;

/// Whether a tool can be kept from the network.
pub const DENIES_NETWORK: bool = true;

/// Must be called first in `main`. If this process was started under the name of the launcher or the janitor, does its work and returns the
/// exit status; otherwise returns `None`. `name` is that of the program, and `arguments` are those after it.
pub fn become_other(name: &OsStr, arguments: &mut dyn Iterator<Item = OsString>) -> Option<ExitCode> {
    match Path::new(name).file_name()?.to_str()? {
        launcher::NAME => Some(launcher::launch(arguments)),
        janitor::NAME => Some(janitor::work(arguments)),
        _ => None,
    }
}

/// Has the kernel end this process when its parent ends, as the launcher does for the tool. For a program that a tool starts: its parent is the tool.
pub fn die_with_parent() -> io::Result<()> {
    // This process does not know the PID of its parent. The parent is a tool, and a tool is never PID 1: if the parent is PID 1, the tool has ended.
    let parent = limits::parent();
    limits::die_with(|| parent != Some(1) && limits::parent() == parent)
}

/// The process that makes and removes a private directory.
#[derive(Debug)]
pub(super) struct Keeper {
    janitor: Child,
    /// The stream with the janitor's answer; `None` after the answer has been read.
    answer: Mutex<Option<ChildStdout>>,
}

impl Keeper {
    /// Starts making a directory; `launcher` is the path of this program.
    pub(super) fn start(launcher: &Path, path: &Path) -> io::Result<Self> {
        let mut janitor = janitor::start(launcher, path)?;
        let answer = Mutex::new(janitor.stdout.take());
        Ok(Self { janitor, answer })
    }

    /// Waits until the directory is made; fails when that failed.
    pub(super) fn made(&self) -> io::Result<()> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdout) = answer.as_mut() {
            // After an error the next call fails, too: the answer has been read.
            janitor::answer(stdout)?;
            *answer = None;
        }
        Ok(())
    }

    /// Has the directory removed. Waiting closes the janitor's standard input, which makes it remove the directory.
    pub(super) fn end(&mut self) {
        drop(self.janitor.wait());
    }
}

/// The command that starts a tool through the launcher, with its limits.
pub(super) fn command(program: &Program, confinement: &Confinement) -> io::Result<Command> {
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

/// Writes the rules to the launcher's standard input, and closes it.
pub(super) fn give(rules: &Rules, input: impl Write) {
    launcher::give(rules, input);
}

/// The error of the launcher, if the exit status and standard error show that the tool was not started.
pub(super) fn failure(status: i32, stderr: &[u8]) -> Option<io::Error> {
    launcher::failure(status, stderr)
}

/// Whether the kernel supports Landlock, in any version.
pub(super) fn has_landlock() -> bool {
    landlock::is_there()
}

/// The time until the memory of a tool has to be measured again; `None` when the limit is reached.
pub(super) fn pause(process: u32, memory: Option<u64>) -> Option<Duration> {
    memory.map_or(Some(Duration::MAX), |limit| memory::pause(process, limit))
}

/// Sends SIGTERM to a child; false when that fails.
pub(super) fn terminate(child: &Child) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    // Nobody has waited for the child, so its number cannot belong to another process.
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok())
}
