//! What stands in for `linux/` on other systems. A limit that they do not have is an error where somebody relies on it.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use system::NO_TOOLS;

use super::rules::Rules;
use super::{Confinement, Deadline, Network, Program, Share, tree};

/// Whether tools are started through the launcher, so that its limits hold for all that they start.
pub const HAS_LAUNCHER: bool = false;

/// Whether a tool can be kept from the network.
pub const DENIES_NETWORK: bool = false;

/// Must be called first in `main`. On this system the program is never started under another name.
pub fn become_other(_: &OsStr, _: &mut dyn Iterator<Item = OsString>) -> Option<ExitCode> {
    None
}

/// Does nothing: no process is ended with its parent.
pub fn die_with_parent() -> io::Result<()> {
    Ok(())
}

/// The memory of this process is not limited.
pub fn limit_own_memory() {}

/// The memory of this process is not watched.
pub fn watch_own_memory(_: fn(u64)) {}

impl Share {
    /// Always `None`: there are no containers, and any number of renderings can run at once.
    pub fn of_container(_: u64) -> Option<Self> {
        None
    }
}

/// A place for a rendering, which nobody needs.
#[derive(Debug)]
pub struct Slot(Infallible);

impl Slot {
    /// Always `None`, which nobody asks for: see [`Share::of_container`].
    pub fn take(_: &Path, _: usize, _: Deadline) -> io::Result<Option<Self>> {
        Ok(None)
    }
}

/// A private directory is made by this process.
#[derive(Debug)]
pub(super) struct Keeper;

impl Keeper {
    pub(super) fn start(_: &Path, path: &Path) -> io::Result<Self> {
        tree::make(path).map(|()| Self)
    }

    pub(super) fn made(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn end(&mut self) {}
}

/// The command that starts a tool without limits of its memory; fails for the limits that only Linux has.
pub(super) fn command(program: &Program, confinement: &Confinement) -> io::Result<Command> {
    let unsupported = |why| Err(io::Error::new(io::ErrorKind::Unsupported, why));
    if let Some(why) = NO_TOOLS {
        return unsupported(why);
    }
    if confinement.network == Network::Denied {
        return unsupported("the network can be blocked only on Linux");
    }
    if confinement.wall.is_some() {
        return unsupported("only Linux can limit which files a program opens");
    }
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).current_dir(&program.dir);
    Ok(command)
}

/// There is no launcher to give rules to.
pub(super) fn give(_: &Rules, _: impl Write) {}

/// There is no launcher that could have failed.
pub(super) fn failure(_: i32, _: &[u8]) -> Option<io::Error> {
    None
}

/// The memory of tools is not measured.
pub(super) fn pause(_: u32, _: Option<u64>) -> Option<Duration> {
    Some(Duration::MAX)
}

/// Always false: a child is killed at once.
pub(super) fn terminate(_: &Child) -> bool {
    false
}

/// Only Linux has Landlock.
pub(super) fn has_landlock() -> bool {
    false
}
