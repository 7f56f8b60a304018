//! The files of a directory while it is listed: as many as there is memory for. However small a file is, it takes some, and its path takes
//! more.

use std::path::Path;
use std::sync::Arc;

use super::directory::is_looked_at;
use super::vfs::{DirectoryName, Entry, Kind};
use super::{Error, MAX_FILES, MAX_PATHS};

/// What was listed so far.
pub(super) struct Listing<P> {
    name: DirectoryName,
    entries: Vec<Entry<P>>,
    /// How many bytes the paths have together, as messages name the files.
    paths: usize,
}

impl<P> Listing<P> {
    /// Nothing of the directory with this name.
    pub(super) fn of(name: &DirectoryName) -> Self {
        Self { name: name.clone(), entries: Vec::new(), paths: 0 }
    }

    /// Adds what is at a path, unless nothing of that name is looked at; an error when there is too much.
    pub(super) fn add(&mut self, path: Arc<Path>, kind: Kind, place: P) -> Result<(), Error> {
        if !is_looked_at(&path) {
            return Ok(());
        }
        self.paths += self.name.prefix().as_os_str().len() + path.as_os_str().len();
        self.entries.push(Entry { path, kind, place });
        if self.entries.len() > MAX_FILES || self.paths > MAX_PATHS {
            return Err(Error::TooManyFiles(self.name.dir.clone()));
        }
        Ok(())
    }

    /// All that was added, in that order.
    pub(super) fn entries(self) -> Vec<Entry<P>> {
        self.entries
    }
}
