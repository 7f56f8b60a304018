//! Opens and reads files that strangers wrote: only regular files, without blocking, and no more bytes than allowed.
//!
//! Between the check of a file and its opening, somebody may replace it. Opening a pipe would block, and a symlink
//! would lead out of the repository. So opening never blocks, and [`Below`] follows no symlinks at all: it opens
//! manifests, and files in other folders of a checkout. [`open`] follows symlinks, for files that Helm or kustomize
//! would follow, too.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use system::{self, Folder, replaced};

/// Opens the regular file at `path`, and follows symlinks. Fails for anything else. Does not wait for the other end
/// of a pipe.
pub fn open(path: &Path) -> io::Result<File> {
    system::without_waiting(OpenOptions::new().read(true))
        .open(path)
        .and_then(|file| if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) })
}

/// The bytes of the regular file at `path`; `None` when it has more than `limit`.
pub fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    read_opened(&open(path)?, limit)
}

/// The bytes of a stream; `None` when it has more than `limit`.
pub fn read_stream(stream: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
}

/// The bytes of an open file; `None` when it has more than `limit`.
pub fn read_opened(file: &File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    read_expecting(file, file.metadata()?.len(), limit)
}

/// Opens files below a directory, folder by folder, without following symlinks below it.
#[derive(Debug)]
pub struct Below {
    dir: PathBuf,
    /// The folder of the last opened file, kept open: the next file is often in the same folder.
    last: Option<(PathBuf, Folder)>,
}

impl Below {
    /// Opens nothing yet. Symlinks in the path `dir` itself are followed.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir, last: None }
    }

    /// Opens the regular file at `path`, which is relative to the directory and has no `..`. Fails for anything else,
    /// and when the file or a folder in the path is a symlink.
    pub fn open(&mut self, path: &Path) -> io::Result<File> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let opened = match self.last.take() {
            Some((last, opened)) if last == folder => opened,
            _ => self.folder(folder)?,
        };
        let name = path.file_name().ok_or_else(replaced)?;
        let file = opened.file(name);
        self.last = Some((folder.to_owned(), opened));
        file
    }

    fn folder(&self, path: &Path) -> io::Result<Folder> {
        let mut opened = Folder::open(&self.dir)?;
        for step in path.components() {
            let Component::Normal(step) = step else { return Err(replaced()) };
            opened = opened.folder(step)?;
        }
        Ok(opened)
    }
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

/// The bytes of an open file whose size is expected to be `size`; `None` when it has more than `limit`.
pub fn read_expecting(mut file: &File, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if size > limit {
        return Ok(None);
    }
    // Ask for one byte more than the size: a read that returns exactly the size has reached the end. That saves a
    // second call for each of thousands of small files.
    let size = usize::try_from(size).map_err(io::Error::other)?;
    let mut bytes = vec![0; size + 1];
    let got = match file.read(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        got => got?,
    };
    bytes.truncate(got);
    if got != size {
        // The read was short, or the file is changing. A growing file stays within the limit.
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
        use scratch::Scratch;

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
