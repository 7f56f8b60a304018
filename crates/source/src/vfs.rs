//! The interface through which the rules of the directory source access a directory, wherever its files are stored.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use render::Renderer;
use rewrite::manifest::Manifest;
use rewrite::settings::ApplicationSettings;

use super::{Error, ReadError, Recurse};

/// A source directory: on disk, in a revision, or in memory. All paths are relative to it.
pub(super) trait SourceTree: fmt::Debug {
    /// The name of the directory, for messages.
    fn name(&self) -> &DirectoryName;

    /// The files, links and other non-directories whose names matter, in the order of Go's `filepath.Walk`: sorted by
    /// the bytes of their names, directory by directory. Fails when there are too many.
    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry>, Error>;

    /// The entry with this file name at the top of the directory, of any kind; `None` when there is none.
    fn find(&mut self, name: &Path) -> Result<Option<Entry>, Error>;

    /// The file that a symlink leads to; `None` when it leads to nothing, or not to a regular file. Fails for a link
    /// that leaves the repository.
    fn follow(&mut self, link: &Entry) -> Result<Option<Place>, Error>;

    /// The manifest that `renderer` makes of the directory; `found` is the file because of which the renderer was
    /// chosen. `None` when the directory does not exist. Fails where no tool can be started.
    fn render(
        &mut self,
        renderer: Renderer,
        found: Option<String>,
        _settings: &ApplicationSettings,
    ) -> Result<Option<Manifest>, Error> {
        Err(Error::NeedsRenderer { dir: self.name().dir.clone(), renderer, found })
    }

    /// The path of a file on disk; `None` where files are not on disk.
    fn on_disk(&self, _file: &Entry) -> Option<PathBuf> {
        None
    }

    /// Announces which files will be read next, in this order, so that they can be read ahead. At most `limit` bytes
    /// of them are kept.
    fn expect(&mut self, _files: &mut dyn Iterator<Item = &Place>, _limit: u64) {}

    /// The bytes of a regular file; `None` when it has more than `limit`.
    fn read(&mut self, file: &Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError>;
}

/// An entry of a directory, or an object found by name.
#[derive(Debug)]
pub(super) struct Entry {
    /// The path relative to the source directory.
    pub(super) path: Arc<Path>,
    pub(super) kind: Kind,
    pub(super) place: Place,
}

/// The way to the bytes of a file. When it was found, no part of it was a symlink.
#[derive(Debug)]
pub(super) enum Place {
    /// A path relative to the source directory.
    Here(Arc<Path>),
    /// A path relative to the root of the repository: the target of a symlink.
    Linked(PathBuf),
    /// The id of a blob in a revision.
    Blob(String),
}

/// The kind of an entry; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    /// A socket, a pipe, a device; in [`SourceTree::find`] also a directory.
    Other,
}

impl Entry {
    /// Whether the entry is in the source directory itself.
    pub(super) fn is_at_top(&self) -> bool {
        is_at_top(&self.path)
    }
}

/// Whether this is the path of an entry in the source directory itself.
pub(super) fn is_at_top(path: &Path) -> bool {
    path.parent() == Some(Path::new(""))
}

/// The name of a source directory in messages and findings, decided when the source is opened.
#[derive(Clone, Debug)]
pub(super) struct DirectoryName {
    /// The path of the directory as the user wrote it.
    pub(super) dir: PathBuf,
    /// The path of the directory in messages.
    pub(super) called: PathBuf,
    /// The prefix of the paths of its files.
    prefix: PathBuf,
}

impl DirectoryName {
    /// The name of `dir`, whose files are shown as `shown_as/…`; by default with the path `dir`, without `.` and
    /// superfluous `..`.
    pub(super) fn new(dir: PathBuf, shown_as: Option<&Path>) -> Self {
        let prefix = shown_as.map_or_else(|| checkout::clean(&dir), Path::to_owned);
        Self { called: dir.clone(), dir, prefix }
    }

    /// The name of a directory in a copy that nobody knows by its path: messages call it as they call its files.
    pub(super) fn of_a_copy(self) -> Self {
        Self { called: self.prefix.clone(), ..self }
    }

    /// The prefix of the paths of the files.
    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The path in messages of the file at `path`, which is relative to the directory.
    pub(super) fn file(&self, path: &Path) -> PathBuf {
        self.prefix.join(path)
    }
}
