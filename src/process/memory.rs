//! How much memory the container has, how many renderings it has room for at once, and how much one of them has taken.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is kept for argocd-cmp-server and for this program, as often as it runs at the same time, in bytes: about 100 MiB for the server,
/// and 3 MiB for each of 50 requests (`TestLoad` in interop/).
const OWN: u64 = 256 << 20;

/// Where the memory of a container is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The container's limit in bytes.
    pub container: u64,
    /// What all processes of one rendering may take together, in bytes.
    pub each: u64,
    /// How many renderings there may be at once; at least one.
    pub count: usize,
}

impl Share {
    /// The shares of this machine when each rendering is to have `wanted` bytes; none where nothing limits the memory of a group of
    /// processes, as on a developer's machine. A share is smaller where even one does not fit.
    pub fn of_container(wanted: u64) -> Option<Self> {
        Some(Self::of(container()?, wanted))
    }

    fn of(container: u64, wanted: u64) -> Self {
        let free = container.saturating_sub(OWN).max(container / 2);
        let each = wanted.min(free).max(1);
        Self { container, each, count: usize::try_from(free / each).unwrap_or(usize::MAX) }
    }
}

/// The least limit of the control groups that this process is in, of version 2 and version 1.
fn container() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(|line| limit(line, Path::new("/sys/fs/cgroup"))).min()
}

/// The least limit of a control group and those above it. `line` is `<number>:<controllers>:<path>`; in a container the path may be the
/// one on the host, of which only the top is there.
fn limit(line: &str, mounted: &Path) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let (top, file) = match controllers {
        "" => (mounted.to_owned(), "memory.max"),
        some if some.split(',').any(|name| name == "memory") => (mounted.join("memory"), "memory.limit_in_bytes"),
        _ => return None,
    };
    let groups = Path::new(path.trim_start_matches('/')).ancestors();
    let limits = groups.filter_map(|group| fs::read_to_string(top.join(group).join(file)).ok()?.trim().parse().ok());
    // Version 1 writes a number that no machine has, version 2 the word `max`.
    limits.filter(|limit| *limit < 1 << 60).min()
}

/// How fast memory can be taken, in bytes per millisecond: 4 GiB in a second.
const FASTEST: u64 = 4 << 20;

/// How long a process and those that it has started cannot reach `limit` bytes of memory together; none when they have. Between two and a
/// hundred milliseconds.
///
/// The limit of a process (`RLIMIT_DATA`) is not enough. There are several processes, and the kernel does not ask about it when a program
/// turns address space that it has reserved into memory, as Go's heap does: helm was seen with 1.7 times its limit.
pub(super) fn pause(process: u32, limit: u64) -> Option<Duration> {
    let left = limit.checked_sub(taken(process))?;
    Some(Duration::from_millis((left / FASTEST).clamp(2, 100)))
}

/// The memory of a process and of those that it has started, in bytes: pages that are its own. Nothing for one that has ended.
fn taken(process: u32) -> u64 {
    let dir = PathBuf::from(format!("/proc/{process}"));
    let status = fs::read_to_string(dir.join("status")).unwrap_or_default();
    let kibibytes =
        status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok());
    let threads = fs::read_dir(dir.join("task")).into_iter().flatten().filter_map(Result::ok);
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> =
        children.flat_map(|list| list.split(' ').filter_map(|child| child.parse().ok()).collect::<Vec<_>>()).collect();
    kibibytes.unwrap_or(0) * 1024 + children.into_iter().map(taken).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn as_many_renderings_as_fit_and_at_least_one() {
        let share = |container, wanted| {
            let Share { each, count, .. } = Share::of(container * MIB, wanted * MIB);
            (each / MIB, count)
        };
        assert_eq!(share(1024, 512), (512, 1));
        assert_eq!(share(2048, 512), (512, 3));
        assert_eq!(share(4096, 1024), (1024, 3));
        // It is made smaller.
        assert_eq!(share(1024, 1024), (768, 1));
        assert_eq!(share(256, 1024), (128, 1));
        assert_eq!(share(1, 1024), (0, 1));
    }

    #[test]
    fn the_least_limit_of_a_group_and_those_above_it_counts() {
        let top = std::env::temp_dir().join(format!("argocd-jobs-cgroup-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/b/memory.max", "max\n");
        write("a/memory.max", "1000\n");
        write("memory/memory.limit_in_bytes", "2000\n");
        write("memory/free/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(limit("0::/a/b", &top), Some(1000));
        assert_eq!(limit("0::/", &top), None);
        assert_eq!(limit("4:cpu,memory:/kubepods/on/the/host", &top), Some(2000));
        assert_eq!(limit("4:memory:/free", &top), Some(2000));
        assert_eq!(limit("9:pids:/a", &top), None);
        assert_eq!(limit("", &top), None);
        fs::remove_dir_all(top).unwrap();
    }

    #[test]
    fn what_a_process_has_taken_counts_with_those_that_it_has_started() {
        let own = taken(std::process::id());
        assert!(own > 100 << 10, "{own}");
        assert_eq!(pause(std::process::id(), 1), None);
        assert_eq!(pause(std::process::id(), 64 << 30), Some(Duration::from_millis(100)));
        assert_eq!(pause(1 << 30, 0), Some(Duration::from_millis(2)));
    }
}
