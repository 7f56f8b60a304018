//! Linux and macOS.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::{regular, replaced};

/// No system opens a longer path, in bytes.
pub const MAX_PATH: usize = 4096;

/// A folder that is open, so that nobody can put another one in its place.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder, and follows symlinks.
    pub fn open(dir: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, dir, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// Opens a folder in it; fails for a symlink.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        openat(&self.0, name, FOLDER, Mode::empty()).map(Self).map_err(of_step)
    }

    /// Opens a regular file in it; fails for a symlink and for anything else.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        regular(openat(&self.0, name, FILE, Mode::empty()).map(File::from).map_err(of_step)?)
    }
}

/// A terminal must not become the controlling terminal of this program, and opening a pipe must not block.
const WITHOUT_WAITING: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

const FILE: OFlags = WITHOUT_WAITING.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(PASS);

/// Passing through a folder needs less permission than listing it.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::empty();

/// The error of opening one part of a path: a symlink gives `ELOOP`, or `ENOTDIR` for a folder; a socket gives `ENXIO`.
fn of_step(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::NXIO => replaced(),
        other => other.into(),
    }
}

/// Makes opening a pipe not wait for its other end.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(WITHOUT_WAITING.bits().cast_signed())
}

/// Makes a new file one that only the user can read.
pub fn own_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Makes new folders ones that only the user can enter.
pub fn own_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Gives the owner all rights to a folder, and to a file those to read and write it that it lacks.
pub fn allow_owner(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    let mode = if found.is_dir() { 0o700 } else { found.mode() | 0o600 };
    if found.mode() & 0o7777 == mode & 0o7777 {
        Ok(())
    } else {
        fs::set_permissions(path, Permissions::from_mode(mode))
    }
}

/// An error if somebody else owns a folder, or can write it: then it can hold anything.
pub fn check_owner(dir: &Path) -> io::Result<()> {
    let found = fs::metadata(dir)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(io::Error::other("other users can write it"));
    }
    Ok(())
}

/// Gives a file the owner and group of another file. Only a privileged user may do that; otherwise the file belongs to the user who runs the program,
/// as with every editor.
pub fn keep_owner(file: &File, like: &Metadata) {
    let is_other = file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (like.uid(), like.gid()));
    if is_other {
        drop(std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid())));
    }
}

/// Whether the user can execute a file of this kind.
pub fn is_executable(found: &Metadata) -> bool {
    found.is_file() && found.mode() & 0o111 != 0
}

/// Whether a file has more than one name (hard links).
pub fn has_other_names(found: &Metadata) -> bool {
    found.nlink() > 1
}

/// Whether two findings are about the same file.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// What changes when somebody changes a file or link, or makes another one of its name; of a folder, only its permissions. No program can set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(u64, u32, Option<(i64, i64, u64)>);

impl Stamp {
    /// The stamp of what was found; `None` where the system has none.
    pub fn of(found: &Metadata) -> Option<Self> {
        let changed = (!found.is_dir()).then(|| (found.ctime(), found.ctime_nsec(), found.len()));
        Some(Self(found.ino(), found.mode(), changed))
    }
}

/// Whether something is a named pipe: whoever opens it waits until another process writes into it.
pub fn is_pipe(kind: FileType) -> bool {
    kind.is_fifo()
}

/// Whether the system takes a name for something else than a file of that name; never here.
pub fn is_misread(_: &OsStr) -> bool {
    false
}

/// Whether a variable of the environment has the name `wanted`.
pub fn is_variable(name: &str, wanted: &str) -> bool {
    name == wanted
}

/// A file name from git in the spelling of the operating system.
pub fn file_name(name: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(name))
}

/// Makes a symlink.
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// The absolute path without symlinks; fails when nothing is there.
#[expect(clippy::disallowed_methods, reason = "this is what all others call")]
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// The signal that ended a process; none when it ended by itself.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Whether the main thread has at least this many bytes of stack.
#[cfg(target_os = "linux")]
pub fn has_enough_stack(bytes: u64) -> bool {
    use rustix::process::{Resource, getrlimit};
    // None means that the stack is unlimited.
    getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= bytes)
}

/// Whether the main thread has at least this many bytes of stack: macOS gives it 8 MiB unless the user asks for less.
#[cfg(not(target_os = "linux"))]
pub fn has_enough_stack(_: u64) -> bool {
    true
}
