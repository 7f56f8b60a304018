//! The memory of the container, the number of renderings that fit into it, and the memory that a rendering uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Share;

/// The memory, in bytes, reserved for argocd-cmp-server and the processes of this program: about 100 MiB for the
/// server, and 3 MiB for each of 50 simultaneous requests (`TestLoad` in interop/).
const OWN: u64 = 256 << 20;

impl Share {
    /// Divides the memory of this container into shares of `wanted` bytes; into one smaller share when not even one
    /// fits. `None` when no control group has a memory limit, as on a developer's machine.
    pub fn of_container(wanted: u64) -> Option<Self> {
        Some(Self::of(container()?, wanted))
    }

    fn of(container: u64, wanted: u64) -> Self {
        let free = container.saturating_sub(OWN).max(container / 2);
        let each = wanted.min(free).max(1);
        Self { container, each, count: usize::try_from(free / each).unwrap_or(usize::MAX) }
    }
}

/// The lowest memory limit, in bytes, of the control groups (version 1 and 2) of this process.
fn container() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(|line| limit(line, Path::new("/sys/fs/cgroup"))).min()
}

/// The lowest limit of a control group and of the groups above it. `line` is `<number>:<controllers>:<path>`. In a
/// container the path may be that on the host; then only the top folder exists.
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
    // Without a limit, version 1 has a number larger than the memory of any machine, and version 2 the word `max`.
    limits.filter(|limit| *limit < 1 << 60).min()
}

/// How fast a process can allocate memory, in bytes per millisecond: about 4 GiB per second.
const FASTEST: u64 = 4 << 20;

/// The time in which a process and its descendants cannot reach `limit` bytes of memory together, between 2 and 100
/// ms; `None` when they use more already.
///
/// `RLIMIT_DATA` is not enough: it limits each process alone, and the kernel does not check it when a program uses
/// address space that it has reserved before, as Go's heap does. A helm process used 1.7 times its limit.
pub(super) fn pause(process: u32, limit: u64) -> Option<Duration> {
    until(limit, taken(process))
}

/// The time in which this process alone cannot reach `limit` bytes of memory, as [`pause`] has it.
pub(super) fn own_pause(limit: u64) -> Option<Duration> {
    until(limit, resident(Path::new("/proc/self")))
}

fn until(limit: u64, taken: u64) -> Option<Duration> {
    let left = limit.checked_sub(taken)?;
    Some(Duration::from_millis((left / FASTEST).clamp(2, 100)))
}

/// The memory of a process and its descendants, in bytes (`RssAnon`, without pages of files); 0 for a process that
/// has ended.
fn taken(process: u32) -> u64 {
    let dir = PathBuf::from(format!("/proc/{process}"));
    let threads = fs::read_dir(dir.join("task")).into_iter().flatten().filter_map(Result::ok);
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> =
        children.flat_map(|list| list.split(' ').filter_map(|child| child.parse().ok()).collect::<Vec<_>>()).collect();
    resident(&dir) + children.into_iter().map(taken).sum::<u64>()
}

/// The memory of one process, by its folder in `/proc`.
fn resident(dir: &Path) -> u64 {
    let status = fs::read_to_string(dir.join("status")).unwrap_or_default();
    let kibibytes: Option<u64> =
        status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.unwrap_or(0) * 1024
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
        // Not even one rendering fits.
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
