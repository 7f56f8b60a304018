//! A source directory in memory, for systems without a file system.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::listing::Listing;
use super::vfs::{DirectoryName, Entry, Kind, Place, SourceTree, is_at_top};
use super::{Error, ReadError, Recurse};

#[derive(Debug)]
pub(super) struct Memory {
    name: DirectoryName,
    /// Paths are ordered name by name, as by Go's `filepath.Walk`.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// A directory with these files; `./a.yaml` and `a.yaml` are the same file.
    pub(super) fn new(name: DirectoryName, files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let plain = |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect();
        Self { name, files: files.into_iter().map(|(path, bytes)| (plain(&path), bytes)).collect() }
    }
}

impl SourceTree for Memory {
    fn name(&self) -> &DirectoryName {
        &self.name
    }

    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry>, Error> {
        let mut files = Listing::of(&self.name);
        for path in self.files.keys().filter(|path| recurse == Recurse::Yes || is_at_top(path)) {
            files.add(path, Kind::File, |path| Place::Here(Arc::clone(path)))?;
        }
        Ok(files.entries())
    }

    fn find(&mut self, name: &Path) -> Result<Option<Entry>, Error> {
        let entry = |path: Arc<Path>| Entry { place: Place::Here(Arc::clone(&path)), path, kind: Kind::File };
        Ok(self.files.contains_key(name).then(|| entry(name.into())))
    }

    fn follow(&mut self, _: &Entry) -> Result<Option<Place>, Error> {
        Ok(None)
    }

    fn read(&mut self, file: &Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let Place::Here(path) = file else { return Ok(None) };
        Ok(self.files.get(&**path).filter(|bytes| bytes.len() as u64 <= limit).cloned())
    }
}
