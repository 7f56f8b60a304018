//! The launcher: this program under another name. It sets everything that the tool inherits, and then becomes the
//! tool (`exec`), with the same process number.
//!
//! It is started as `argocd-jobs-launch <parent> <memory> <network> <wall> <directory> <path> <arguments…>`: the
//! number of the process that must be its parent, bytes or `-`, `denied` or `allowed`, a version of Landlock or `-`,
//! the tool's working directory, the tool and its arguments. The rules of Landlock come on standard input, because
//! their number is not limited. With the standard library a parent could do none of this in a child without `unsafe`,
//! but a program can do it to itself.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::{landlock, limits};
use crate::rules::Rules;

pub(super) const NAME: &str = "argocd-jobs-launch";

/// The exit status when the tool could not be started.
const NOT_STARTED: u8 = 127;

/// The arguments of the launcher.
pub(super) struct Order {
    /// The number of the process that the tool must not outlive.
    pub(super) parent: u32,
    /// The memory limit in bytes.
    pub(super) memory: Option<u64>,
    /// True when the tool can open only Unix sockets.
    pub(super) network_denied: bool,
    /// The files that the tool may open; `None` for all files. [`give`] writes the rules to the launcher.
    pub(super) wall: Option<Rules>,
    /// The working directory of the tool. The launcher changes to it, because a `Command` with a working directory
    /// has to copy our address space.
    pub(super) dir: PathBuf,
}

/// The command that starts `tool` through the launcher; `program` is the path of this program.
pub(super) fn command(program: &Path, order: &Order, tool: &Path, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.arg0(NAME).arg(order.parent.to_string());
    command.arg(order.memory.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string()));
    command.arg(if order.network_denied { "denied" } else { "allowed" });
    command.arg(order.wall.as_ref().map_or_else(|| "-".to_owned(), |rules| rules.version.to_string()));
    command.arg(&order.dir).arg(tool).args(arguments);
    command
}

/// Writes the rules to the launcher's standard input, and closes it.
pub(super) fn give(rules: &Rules, mut input: impl Write) {
    // Writing fails when the launcher has ended; then its standard error has the reason.
    drop(input.write_all(&landlock::encode(&rules.paths)));
}

/// Reads the rules from standard input, and replaces it by `/dev/null` for the tool.
fn take(version: u8) -> io::Result<Rules> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(Rules { paths: landlock::decode(&bytes).ok_or_else(misused)?, version })
}

/// The error of the launcher, if the exit status and standard error show that the tool was not started.
pub(super) fn failure(status: i32, stderr: &[u8]) -> Option<io::Error> {
    if status != i32::from(NOT_STARTED) {
        return None;
    }
    let text = std::str::from_utf8(stderr).ok()?;
    let (number, text) = text.strip_prefix(NAME)?.strip_prefix(": ")?.trim_end().split_once(": ")?;
    let kind = number.parse().map_or(io::ErrorKind::Other, |number| io::Error::from_raw_os_error(number).kind());
    Some(io::Error::new(kind, text.to_owned()))
}

/// Becomes the tool. Returns only when that fails.
pub(super) fn launch(arguments: &mut dyn Iterator<Item = OsString>) -> ExitCode {
    let error = match try_launch(arguments) {
        Err(error) => error,
        Ok(never) => match never {},
    };
    let number = error.raw_os_error().map_or_else(|| "-".to_owned(), |number| number.to_string());
    // Nothing can be reported when standard error is closed.
    drop(writeln!(io::stderr(), "{NAME}: {number}: {error}"));
    ExitCode::from(NOT_STARTED)
}

fn try_launch(arguments: &mut dyn Iterator<Item = OsString>) -> io::Result<Infallible> {
    let mut text = || arguments.next()?.into_string().ok();
    let (Some(parent), Some(memory), Some(network), Some(wall)) = (text(), text(), text(), text()) else {
        return Err(misused());
    };
    let parent: u32 = parent.parse().map_err(|_| misused())?;
    let memory = if memory == "-" { None } else { Some(memory.parse::<u64>().map_err(|_| misused())?) };
    let rules = if wall == "-" { None } else { Some(take(wall.parse().map_err(|_| misused())?)?) };
    let (Some(dir), Some(tool)) = (arguments.next(), arguments.next()) else { return Err(misused()) };

    limits::die_with(|| limits::parent() == Some(parent))?;
    limits::first_to_be_killed();
    limits::no_more_rights()?;
    limits::files()?;
    match memory {
        Some(bytes) => limits::data(bytes)?,
        None => limits::no_own_limit()?,
    }
    let has_network = network == "allowed";
    if let Some(rules) = rules {
        landlock::restrict(&rules, has_network)?;
    }
    if !has_network {
        limits::no_network()?;
    }
    Err(Command::new(tool).args(arguments).current_dir(dir).exec())
}

fn misused() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "only argocd-jobs itself starts this")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_launcher_reports_a_tool_that_was_not_started() {
        let text = b"argocd-jobs-launch: 2: No such file or directory (os error 2)\n";
        let error = failure(127, text).unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(error.to_string(), "No such file or directory (os error 2)");
        assert!(failure(1, text).is_none());
        assert!(failure(127, b"sh: 2: x: not found").is_none());
    }
}
