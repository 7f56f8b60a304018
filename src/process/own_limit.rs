//! Runs this program once more, with a limit of memory: a limit that a process sets itself ends in a message of the allocator and SIGABRT.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Resource, Signal, getrlimit};

use super::launcher::{self, Memory, Order};
use super::memory::Share;

/// The memory in bytes that reading and rewriting the manifests of one Application may take, as far as the container has it: 100 MiB of manifests
/// take up to half of it.
const MOST: u64 = 1 << 30;

/// What the allocator of Rust prints before it aborts.
const NO_MEMORY: &[u8] = b"memory allocation of";

/// How the child ended.
#[derive(Debug)]
pub enum Ended {
    /// With this exit status and standard error. The status is 2 after any other signal than those of a lack of memory.
    Exited(u8, Vec<u8>),
    /// It needed more memory than this many bytes.
    OutOfMemory(u64),
    /// SIGKILL: of the system, where the container has no memory left, or of somebody.
    Killed,
    /// Nobody can say how: the system does not tell.
    Unknown(io::Error),
}

/// Runs this program with the same arguments in a child, which has our standard input and output, and dies with us. None when this is that
/// child, when the process has a limit already, and where no child can be started.
pub fn run_with_less_memory(arguments: impl Iterator<Item = OsString>) -> Option<Ended> {
    if getrlimit(Resource::Data).current.is_some() {
        return None;
    }
    let most = Share::of_container(MOST).map_or(MOST, |share| share.each);
    let program = std::env::current_exe().ok()?;
    let order = Order {
        parent: std::process::id(),
        memory: Some(Memory { bytes: most, is_for_tools: false }),
        network_denied: false,
        wall: None,
        dir: std::env::current_dir().ok()?,
    };
    let arguments: Vec<OsString> = arguments.collect();
    let mut command = launcher::command(&program, &order, &program, &arguments);
    let mut child = command.stderr(Stdio::piped()).spawn().ok()?;
    let mut stderr = Vec::new();
    if let Some(mut stream) = child.stderr.take() {
        // What cannot be read is not shown; the status says how it ended.
        drop(stream.read_to_end(&mut stderr));
    }
    // Not once more without a limit: what the child has printed would be there twice.
    let status = match child.wait() {
        Ok(status) => status,
        Err(error) => return Some(Ended::Unknown(error)),
    };
    if launcher::failure(status.code().unwrap_or(0), &stderr).is_some() {
        return None;
    }
    Some(ended(status, stderr, most))
}

fn ended(status: ExitStatus, stderr: Vec<u8>, most: u64) -> Ended {
    let is_killed_by = |signal: Signal| status.signal() == Some(signal.as_raw());
    let has_aborted = is_killed_by(Signal::ABORT) && stderr.windows(NO_MEMORY.len()).any(|part| part == NO_MEMORY);
    if has_aborted {
        return Ended::OutOfMemory(most);
    }
    if is_killed_by(Signal::KILL) {
        return Ended::Killed;
    }
    Ended::Exited(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2), stderr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_memory_is_told_from_other_ends() {
        // As wait(2) has it: a signal, or a status in the second byte.
        for (raw, stderr, how) in [
            (0, "", "Exited(0, [])"),
            (2 << 8, "a", "Exited(2, [97])"),
            (6, "memory allocation of 5 bytes failed\n", "OutOfMemory(5)"),
            (6, "", "Exited(2, [])"),
            (9, "", "Killed"),
            (15, "", "Exited(2, [])"),
        ] {
            assert_eq!(format!("{:?}", ended(ExitStatus::from_raw(raw), stderr.as_bytes().to_vec(), 5)), how, "{raw}");
        }
    }
}
