//! Makes private directories, and removes them whatever a tool has put into them.

use std::path::Path;
use std::time::Duration;
use std::{fs, io, thread};

use system::{allow_owner, own_folder};

/// How often removing a directory is tried: a tool that is being killed may still write into it.
const ATTEMPTS: u32 = 100;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Makes a directory with mode 0700. It must not exist.
pub(super) fn make(dir: &Path) -> io::Result<()> {
    own_folder().create(dir)
}

/// Removes a directory with everything in it, also read-only files. Symlinks are removed, not followed. Gives up
/// after two seconds.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    let mut last = Ok(());
    for attempt in 0..ATTEMPTS {
        last = fs::remove_dir_all(dir);
        // "Not found" can also be about a file in it that has just disappeared.
        if last.is_ok() || fs::symlink_metadata(dir).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        open_up(dir);
        // After the first attempt the permissions are probably the cause: retry at once.
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
    }
    last
}

/// Gives the owner all rights to a directory and to the directories below it.
fn open_up(dir: &Path) {
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        // If this fails, the next attempt to remove the directory reports it.
        drop(allow_owner(&dir));
        let entries = fs::read_dir(&dir).into_iter().flatten().filter_map(Result::ok);
        // This is the type of the entry itself: symlinks are not followed.
        dirs.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
}
