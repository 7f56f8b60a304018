//! Files as the rules of the directory source see them, wherever they are kept.

use std::path::{Path, PathBuf};

use super::{Error, ReadError, Recurse};

/// A source directory: on disk, or as a revision has it.
pub(super) trait Files {
    /// What leads to the bytes of a file.
    type Place;

    /// Everything in the directory that is not a directory, in the order of Go's `filepath.Walk`: sorted by the bytes of the names,
    /// directory by directory.
    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry<Self::Place>>, Error>;

    /// The file that a symlink leads to; `None` when there is none, or it is not a regular file. A link that leaves the
    /// repository is an error.
    fn follow(&mut self, link: &Entry<Self::Place>) -> Result<Option<Self::Place>, Error>;

    /// The whole of a regular file, or `None` when that is more than `limit` bytes.
    fn read(&mut self, file: &Self::Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError>;
}

/// Something in a directory that is no directory itself.
#[derive(Debug)]
pub(super) struct Entry<P> {
    /// Relative to the source directory.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    pub(super) place: P,
}

/// What an entry is, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    /// A socket, a pipe, a device.
    Other,
}

impl<P> Entry<P> {
    /// True when it is in the source directory itself.
    pub(super) fn is_at_top(&self) -> bool {
        self.path.parent() == Some(Path::new(""))
    }
}
