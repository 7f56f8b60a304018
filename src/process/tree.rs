//! Makes and removes private directories, whatever a tool has put into them.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often a tree is tried to be removed: a tool that is just being killed may still write into it.
const ATTEMPTS: u32 = 100;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Makes a directory that only its owner may enter. It must not exist.
pub(super) fn make(dir: &Path) -> io::Result<()> {
    let builder = &mut DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// Removes a directory with all it holds, also what cannot be written to. Links are removed, not followed. Gives up after two seconds.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    let mut last = Ok(());
    for attempt in 0..ATTEMPTS {
        last = fs::remove_dir_all(dir);
        // "Not found" may also mean something in it that has just gone.
        if last.is_ok() || fs::symlink_metadata(dir).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        open_up(dir);
        // The first time it is probably the permissions.
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
    }
    last
}

/// Gives the owner all rights to a directory and those below it.
fn open_up(dir: &Path) {
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        // The next attempt to remove reports what does not work here.
        drop(allow(&dir));
        let entries = fs::read_dir(&dir).into_iter().flatten().filter_map(Result::ok);
        // The type is that of a link itself.
        dirs.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
}

#[cfg(unix)]
fn allow(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn allow(_: &Path) -> io::Result<()> {
    Ok(())
}
