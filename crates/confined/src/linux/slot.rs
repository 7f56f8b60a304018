//! Limits the number of renderings that run at once: each holds a lock on one of a fixed number of files. The kernel
//! releases the lock however the process ends.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use rustix::fs::{FlockOperation, flock};

use crate::Deadline;

/// The time between two attempts to lock a file.
const PAUSE: Duration = Duration::from_millis(5);

/// One of the places for a rendering. Dropping it releases the lock.
#[derive(Debug)]
pub struct Slot(#[expect(dead_code, reason = "the lock is held as long as the file is open")] File);

impl Slot {
    /// Waits for one of `count` places; processes get them in the order in which they asked. `None` when no place is
    /// free before the deadline. The lock files are in a folder of this user in `temporary`, which must be the same
    /// folder for all processes that share the places.
    pub fn take(temporary: &Path, count: usize, deadline: Deadline) -> io::Result<Option<Self>> {
        let dir = folder(temporary)?;
        let Some(first) = first_in_line(&dir, deadline)? else { return Ok(None) };
        loop {
            for number in 0..count {
                let file = open(&dir.join(number.to_string()))?;
                if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                    // Lets the next process in line try.
                    drop(first);
                    return Ok(Some(Self(file)));
                }
            }
            if deadline.is_over() {
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The lock of the process that is next in line; `None` when it is not free before the deadline. The kernel wakes
/// waiting processes in their order.
fn first_in_line(dir: &Path, deadline: Deadline) -> io::Result<Option<File>> {
    let file = open(&dir.join("next"))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        return Ok(Some(file));
    }
    let (sender, receiver) = mpsc::channel();
    // After the deadline nobody waits for this thread: it closes the file once it has the lock.
    thread::Builder::new().spawn(move || {
        drop(sender.send(flock(&file, FlockOperation::LockExclusive).map(|()| file)));
    })?;
    match receiver.recv_timeout(deadline.left()) {
        Ok(locked) => Ok(Some(locked?)),
        Err(_) => Ok(None),
    }
}

/// Makes the folder of this user, with mode 0700; fails when another user made it.
fn folder(temporary: &Path) -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let dir = temporary.join(format!("argocd-jobs-{user}"));
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map(|()| dir),
    }
    let found = fs::symlink_metadata(&dir)?;
    if found.is_dir() && found.uid() == user { Ok(dir) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("argocd-jobs-slots-{}-{:?}", std::process::id(), thread::current().id()));
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn there_are_so_many_places_and_no_more() {
        let dir = scratch();
        let soon = || Deadline::after(Duration::from_millis(20));
        let take = |deadline| Slot::take(&dir, 2, deadline).unwrap();
        let first = take(soon()).unwrap();
        let second = take(soon()).unwrap();
        assert!(take(soon()).is_none());
        drop(first);
        let third = take(soon()).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| take(Deadline::after(Duration::from_secs(60))));
            let behind = scope.spawn(|| take(soon()));
            assert!(behind.join().unwrap().is_none());
            drop((second, third));
            assert!(waiting.join().unwrap().is_some());
        });
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_folder_of_somebody_else_is_not_used() {
        let dir = scratch();
        let user = rustix::process::geteuid().as_raw();
        std::os::unix::fs::symlink("/", dir.join(format!("argocd-jobs-{user}"))).unwrap();
        let error = Slot::take(&dir, 1, Deadline::after(Duration::ZERO)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        fs::remove_dir_all(dir).unwrap();
    }
}
