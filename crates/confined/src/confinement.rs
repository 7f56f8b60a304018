//! What is asked of the system for a tool that works on files that strangers wrote: the program to start, and its limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::rules::Rules;

/// The time at which a tool is killed. Several tools that run one after the other can share a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline `time` from now; no deadline when the clock cannot represent it.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.left() == Duration::ZERO
    }

    /// The time left; zero when the deadline has passed.
    pub(super) fn left(self) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}

/// Whether a tool may open sockets other than Unix sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The tool may open any socket.
    Allowed,
    /// Opening another socket fails with "permission denied".
    Denied,
}

/// The limits of a tool.
#[derive(Debug, Clone)]
pub struct Confinement {
    /// The path of this program, which starts itself under another name to set the limits.
    pub launcher: PathBuf,
    /// The limit, in bytes, for the memory of the tool together with all processes that it starts; `None` for no limit. It is also the
    /// `RLIMIT_DATA` of each process, so that most programs fail by themselves, with a message.
    ///
    /// The limit is not one of address space (`RLIMIT_AS`): the runtime of Go reserves far more than it uses. Measured with helm 3.19.4 on a chart
    /// with 50 objects: 1.9 GiB of address space, 130 MiB of data, 53 MiB resident. With `RLIMIT_AS` of 1 GiB most runs ended in `fatal error: out
    /// of memory` or `pthread_create failed`; with `RLIMIT_DATA` of 256 MiB all succeeded, because the kernel does not count reserved pages.
    pub memory: Option<u64>,
    /// Whether the tool may use the network.
    pub network: Network,
    /// The files that the tool may open; `None` for all files. Starting the tool fails when the kernel cannot enforce the rules
    /// ([`wall`](super::wall())).
    pub wall: Option<Rules>,
    /// The time at which the tool is killed.
    pub deadline: Deadline,
}

/// A tool to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// The absolute path of the executable.
    pub path: PathBuf,
    /// The arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// All environment variables; nothing of our own environment is added.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory.
    pub dir: PathBuf,
}
