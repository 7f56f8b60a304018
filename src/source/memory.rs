//! A source directory in memory. It needs no file system, so that it works where there is none.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::listing::Listing;
use super::vfs::{DirectoryName, Entry, Kind, SourceTree, is_at_top};
use super::{Error, ReadError, Recurse};

/// Files by their paths relative to the directory.
#[derive(Debug)]
pub(super) struct Memory {
    name: DirectoryName,
    /// Paths are ordered name by name, which is the order of Go's `filepath.Walk`.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// The directory with these files; `./a.yaml` and `a.yaml` are one file.
    pub(super) fn new(name: DirectoryName, files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let plain = |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect();
        Self { name, files: files.into_iter().map(|(path, bytes)| (plain(&path), bytes)).collect() }
    }
}

impl SourceTree for Memory {
    /// The path of the file.
    type Place = PathBuf;

    fn name(&self) -> &DirectoryName {
        &self.name
    }

    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry<PathBuf>>, Error> {
        let mut files = Listing::of(&self.name);
        for path in self.files.keys().filter(|path| recurse == Recurse::Yes || is_at_top(path)) {
            files.add(path, Kind::File, |_| path.clone())?;
        }
        Ok(files.entries())
    }

    fn find(&mut self, name: &Path) -> Result<Option<Entry<PathBuf>>, Error> {
        let path = PathBuf::from(name);
        let is_there = self.files.contains_key(&path);
        Ok(is_there.then(|| Entry { path: name.into(), kind: Kind::File, place: path }))
    }

    fn follow(&mut self, _: &Entry<PathBuf>) -> Result<Option<PathBuf>, Error> {
        Ok(None)
    }

    fn read(&mut self, file: &PathBuf, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(self.files.get(file).filter(|bytes| bytes.len() as u64 <= limit).cloned())
    }
}
