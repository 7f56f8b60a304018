//! Collects the files of a directory while it is listed, and limits their number and the length of their paths: even
//! an empty file needs memory, and its path needs more.

use std::path::Path;
use std::sync::Arc;

use super::directory::is_looked_at;
use super::vfs::{DirectoryName, Entry, Kind, Place};
use super::{Error, MAX_FILES, MAX_PATHS};

/// The files listed so far.
pub(super) struct Listing {
    name: DirectoryName,
    entries: Vec<Entry>,
    /// The total length, in bytes, of the paths as messages show them.
    paths: usize,
}

impl Listing {
    /// An empty listing of a directory, which has this name in messages.
    pub(super) fn of(name: &DirectoryName) -> Self {
        Self { name: name.clone(), entries: Vec::new(), paths: 0 }
    }

    /// Adds the file at `path`, if its name matters for manifests. `place` returns its place. Fails when there are
    /// too many files, or their paths are too long together.
    pub(super) fn add(
        &mut self,
        path: &Path,
        kind: Kind,
        place: impl FnOnce(&Arc<Path>) -> Place,
    ) -> Result<(), Error> {
        if !is_looked_at(path) {
            return Ok(());
        }
        let path: Arc<Path> = path.into();
        let place = place(&path);
        self.paths += self.name.prefix().as_os_str().len() + path.as_os_str().len();
        self.entries.push(Entry { path, kind, place });
        if self.entries.len() > MAX_FILES || self.paths > MAX_PATHS {
            return Err(Error::TooManyFiles(self.name.called.clone()));
        }
        Ok(())
    }

    /// The files in the order in which they were added.
    pub(super) fn entries(self) -> Vec<Entry> {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn listing(prefix: &str) -> Listing {
        Listing::of(&DirectoryName::new(PathBuf::from("dir"), Some(Path::new(prefix))))
    }

    fn add(listing: &mut Listing, path: &str) -> Result<(), String> {
        listing
            .add(Path::new(path), Kind::File, |path| Place::Here(Arc::clone(path)))
            .map_err(|error| error.to_string())
    }

    const TOO_MANY: &str = "dir: more than 32,000 files of manifests, or more than 4 MiB of their paths\nhelp: split the directory: each part can be an Application";

    #[test]
    fn so_many_files_are_listed_and_no_more() {
        let mut listing = listing("");
        for number in 0..32_000 {
            assert_eq!(add(&mut listing, &format!("{number}.yaml")), Ok(()));
            // Files with such names do not count.
            assert_eq!(add(&mut listing, &format!("{number}.txt")), Ok(()));
        }
        assert_eq!(add(&mut listing, "a.json"), Err(TOO_MANY.to_owned()));
    }

    #[test]
    fn so_many_bytes_of_paths_are_listed_and_no_more() {
        // The prefix counts, because messages show it.
        let prefix = "p".repeat(1_000);
        let path = format!("{}.yaml", "a".repeat(1_043));
        let mut listing = listing(&prefix);
        for _ in 0..2_048 {
            assert_eq!(add(&mut listing, &path), Ok(()));
        }
        assert_eq!(add(&mut listing, "a.yml"), Err(TOO_MANY.to_owned()));
        assert_eq!(listing.entries().len(), 2_049);
    }
}
