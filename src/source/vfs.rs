//! What the rules of the directory source see of a directory, wherever its files are kept.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Error, ReadError, Recurse, Renderer};
use crate::manifest::Manifest;
use crate::settings::ApplicationSettings;

/// A source directory: on disk, in a revision, or in memory. All paths below are relative to it.
pub(super) trait SourceTree: fmt::Debug {
    /// The directory's name, for messages.
    fn name(&self) -> &DirectoryName;

    /// What is in the directory, is not a directory and is looked at, in the order of Go's `filepath.Walk`: sorted by the bytes of the
    /// names, directory by directory. An error when it is too much.
    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry>, Error>;

    /// What is under this file name at the top of the directory, whatever it is.
    fn find(&mut self, name: &Path) -> Result<Option<Entry>, Error>;

    /// The file that a symlink leads to; `None` when there is none, or it is not a regular file. A link that leaves the
    /// repository is an error.
    fn follow(&mut self, link: &Entry) -> Result<Option<Place>, Error>;

    /// The manifest that `renderer` makes of the directory; `found` is the file for which it was chosen. None when there is no directory, and
    /// an error where no tool can be run.
    fn render(
        &mut self,
        renderer: Renderer,
        found: Option<String>,
        _settings: &ApplicationSettings,
    ) -> Result<Option<Manifest>, Error> {
        Err(Error::NeedsRenderer { dir: self.name().dir.clone(), renderer, found })
    }

    /// The path of a file on disk; none where the files are not on disk.
    fn on_disk(&self, _file: &Entry) -> Option<PathBuf> {
        None
    }

    /// Tells which files will be read next, in this order, so that the tree can read them at once. At most `limit` bytes of them are kept.
    fn expect(&mut self, _files: &mut dyn Iterator<Item = &Place>, _limit: u64) {}

    /// The whole of a regular file, or `None` when it has more than `limit` bytes.
    fn read(&mut self, file: &Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError>;
}

/// Something in a directory that is not a directory itself, or an object found by name.
#[derive(Debug)]
pub(super) struct Entry {
    /// Relative to the source directory.
    pub(super) path: Arc<Path>,
    pub(super) kind: Kind,
    pub(super) place: Place,
}

/// What leads to the bytes of a file. Nothing on the way to it was a symlink when it was found.
#[derive(Debug)]
pub(super) enum Place {
    /// Below the source directory.
    Here(Arc<Path>),
    /// Below the root of the repository: what a symlink leads to.
    Linked(PathBuf),
    /// The id of a blob in a revision.
    Blob(String),
}

/// What an entry is, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    /// A socket, a pipe, a device; in [`SourceTree::find`] also a directory.
    Other,
}

impl Entry {
    /// True when it is in the source directory itself.
    pub(super) fn is_at_top(&self) -> bool {
        is_at_top(&self.path)
    }
}

/// True for the path of what is in the source directory itself.
pub(super) fn is_at_top(path: &Path) -> bool {
    path.parent() == Some(Path::new(""))
}

/// What a source directory and its files are called in messages and findings: decided once, when the source is opened.
#[derive(Clone, Debug)]
pub(super) struct DirectoryName {
    /// The directory as the user wrote it.
    pub(super) dir: PathBuf,
    /// What the paths of its files begin with.
    prefix: PathBuf,
}

impl DirectoryName {
    /// The name of `dir`, whose files are called `shown_as/…`; by default as `dir` is written, without `.` and superfluous `..`.
    pub(super) fn new(dir: PathBuf, shown_as: Option<&Path>) -> Self {
        let prefix = shown_as.map_or_else(|| super::clean(&dir), Path::to_owned);
        Self { dir, prefix }
    }

    /// What the paths of the files begin with.
    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// What a file is called that is at `path`, relative to the directory.
    pub(super) fn file(&self, path: &Path) -> PathBuf {
        self.prefix.join(path)
    }
}
