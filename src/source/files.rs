//! Opens and reads files that strangers wrote: regular files only, without waiting, and no more bytes than are allowed.
//!
//! Between the moment at which a file is judged and the moment at which it is opened, somebody may put something else in its place. A pipe
//! would be waited for, and a symlink would lead out of the repository. So nothing here waits, and [`Below`] follows no symlink at all: manifests,
//! and what is read of other folders of a checkout, are opened by it. [`open`] follows symlinks, for files that Helm or kustomize would follow, too.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

#[cfg(unix)]
use std::os::{fd::OwnedFd, unix::fs::OpenOptionsExt};

#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags, openat};

/// The regular file at `path`, wherever symlinks lead; anything else is an error. Does not wait for the other end of a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    options.custom_flags(WITHOUT_WAITING.bits().cast_signed());
    options.open(path).and_then(|file| if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) })
}

/// All bytes of the regular file at `path`; none when it has more than `limit`.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    read_opened(&open(path)?, limit)
}

/// All bytes of a stream; none when it has more than `limit`.
pub(super) fn read_stream(stream: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
}

/// All bytes of an open file; none when it has more than `limit`.
pub(super) fn read_opened(file: &File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    read_expecting(file, file.metadata()?.len(), limit)
}

/// Opens files below one directory, step by step, and follows no symlink below it.
#[derive(Debug)]
pub(super) struct Below {
    dir: PathBuf,
    /// The folder of the file that was opened last: the next one is often beside it.
    #[cfg(unix)]
    last: Option<(PathBuf, OwnedFd)>,
}

impl Below {
    /// Opens nothing yet. Symlinks in `dir` itself are followed.
    pub(super) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            #[cfg(unix)]
            last: None,
        }
    }

    /// The regular file at `path`, which is relative to the directory and has no `..`. Anything else is an error, also a symlink in place
    /// of the file or of a folder on the way to it.
    #[cfg(unix)]
    pub(super) fn open(&mut self, path: &Path) -> io::Result<File> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let opened = match self.last.take() {
            Some((last, opened)) if last == folder => opened,
            _ => self.folder(folder)?,
        };
        let name = path.file_name().ok_or_else(replaced)?;
        let file = openat(&opened, name, FILE, Mode::empty());
        self.last = Some((folder.to_owned(), opened));
        regular(file.map(File::from).map_err(of_step)?)
    }

    #[cfg(unix)]
    fn folder(&self, path: &Path) -> io::Result<OwnedFd> {
        let mut opened = openat(CWD, &self.dir, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
        for step in path.components() {
            let Component::Normal(step) = step else { return Err(replaced()) };
            opened = openat(&opened, step, FOLDER, Mode::empty()).map_err(of_step)?;
        }
        Ok(opened)
    }

    /// The regular file at `path`, which is relative to the directory and has no `..`. This system cannot open it step by step.
    #[cfg(not(unix))]
    pub(super) fn open(&mut self, path: &Path) -> io::Result<File> {
        open(&self.dir.join(path))
    }
}

/// A terminal must not become the program's own, and a pipe must not be waited for.
#[cfg(unix)]
const WITHOUT_WAITING: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

#[cfg(unix)]
const FILE: OFlags = WITHOUT_WAITING.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[cfg(unix)]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(PASS);

/// A folder that one may pass through need not be one that one may list.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const PASS: OFlags = OFlags::empty();

/// The error of one step: a symlink in its place is `ELOOP`, or `ENOTDIR` where a folder is expected; a socket is `ENXIO`.
#[cfg(unix)]
fn of_step(error: rustix::io::Errno) -> io::Error {
    use rustix::io::Errno;
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::NXIO => replaced(),
        other => other.into(),
    }
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(replaced()) }
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

fn replaced() -> io::Error {
    io::Error::other("it is no longer a regular file")
}

/// All bytes of an open file that is said to have `size` bytes; none when it has more than `limit`.
pub(super) fn read_expecting(mut file: &File, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if size > limit {
        return Ok(None);
    }
    // One byte more than the size is asked for: a read that brings the size and no more has seen the end, and with
    // thousands of small files the call that would only say so again is worth saving.
    let size = usize::try_from(size).map_err(io::Error::other)?;
    let mut bytes = vec![0; size + 1];
    let got = match file.read(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        got => got?,
    };
    bytes.truncate(got);
    if got != size {
        // A short read or a file that changes meanwhile; one that grows stays in the limit.
        file.take((limit + 1).saturating_sub(got as u64)).read_to_end(&mut bytes)?;
    }
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all_whatever_its_size_was_said_to_be() {
        let read = |limit, size| read_expecting(&File::open("Cargo.toml").unwrap(), size, limit).unwrap();
        let length = fs::metadata("Cargo.toml").unwrap().len();
        assert_eq!(read(10, 11), None);
        assert_eq!(read(10, 1), None);
        assert_eq!(read(length - 1, length - 1), None);
        for size in [0, 1, length - 1, length, length + 1] {
            let bytes = read(length + 1, size).unwrap();
            assert_eq!(bytes, fs::read("Cargo.toml").unwrap(), "said to be {size} bytes");
        }
    }

    #[test]
    fn a_stream_is_read_whole_or_not_at_all() {
        let read = |text: &str| read_stream(text.as_bytes(), 3).unwrap();
        assert_eq!(read("abc"), Some(b"abc".to_vec()));
        assert_eq!((read("abcd"), read("abcde")), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_but_a_regular_file_is_opened_and_no_symlink_on_the_way() {
        use super::super::tests::Scratch;

        let scratch = Scratch::with(&["in/a/file", "in/b/file", "outside"])
            .link("in/link", "a/file")
            .link("in/out", "../outside")
            .link("in/folder", "a")
            .pipe("in/pipe")
            .socket("in/socket");
        let mut below = Below::new(scratch.0.join("in"));
        let mut ends = |path: &str| match below.open(Path::new(path)) {
            Ok(file) => String::from_utf8(read_opened(&file, 100).unwrap().unwrap()).unwrap(),
            Err(error) => error.to_string(),
        };
        let replaced = "it is no longer a regular file";
        for (path, found) in [
            ("a/file", "in/a/file"),
            ("b/file", "in/b/file"),
            ("link", replaced),
            ("out", replaced),
            ("folder/file", replaced),
            ("a/file/x", replaced),
            ("a", replaced),
            ("../outside", replaced),
            ("/etc/passwd", replaced),
            ("pipe", replaced),
            ("socket", replaced),
            ("a/file", "in/a/file"),
        ] {
            assert_eq!(ends(path), found, "{path}");
        }
        assert!(ends("missing").starts_with("No such file"));
        assert_eq!(open(&scratch.0.join("in/pipe")).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(read(&scratch.0.join("in/link"), 100).unwrap().unwrap(), b"in/a/file");
    }
}
