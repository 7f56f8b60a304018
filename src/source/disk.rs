//! A source directory on disk.

use std::cell::OnceCell;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

#[cfg(unix)]
use super::render;
#[cfg(unix)]
use super::tool::Target;
use super::vfs::{DirectoryName, Entry, Kind, SourceTree};
use super::{Error, ReadError, Recurse, Surroundings, repository};

/// A directory, and how far links in it may lead.
#[derive(Debug)]
pub(super) struct Disk {
    name: DirectoryName,
    surroundings: Surroundings,
    /// Looked for at the first symlink only.
    root: OnceCell<PathBuf>,
}

impl Disk {
    /// A directory. Opens nothing yet.
    pub(super) fn new(name: DirectoryName, surroundings: &Surroundings) -> Self {
        Self { name, surroundings: surroundings.clone(), root: OnceCell::new() }
    }

    fn root(&self) -> Result<&Path, Error> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let dir = &self.name.dir;
        let root = repository::root_of(dir, self.surroundings.source_path.as_deref());
        let root = root.map_err(|error| Error::unreadable(dir, error))?;
        Ok(self.root.get_or_init(|| root))
    }
}

impl SourceTree for Disk {
    /// The path on disk.
    type Place = PathBuf;

    fn name(&self) -> &DirectoryName {
        &self.name
    }

    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry<PathBuf>>, Error> {
        let dir = &self.name.dir;
        check_directory(dir)?;
        let depth = match recurse {
            Recurse::Yes => usize::MAX,
            Recurse::No => 1,
        };
        let relative = |path: &Path| path.strip_prefix(dir).unwrap_or(path).to_owned();
        let mut files = Vec::new();
        for entry in WalkDir::new(dir).min_depth(1).max_depth(depth).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                let below = error.path().filter(|path| path != dir);
                let path = below.map_or_else(|| dir.clone(), |path| self.name.file(&relative(path)));
                Error::unreadable(path, io::Error::from(error))
            })?;
            if !entry.file_type().is_dir() {
                let kind = kind(entry.file_type());
                files.push(Entry { path: relative(entry.path()), kind, place: entry.into_path() });
            }
        }
        Ok(files)
    }

    #[cfg(unix)]
    fn render(
        &mut self,
        renderer: super::Renderer,
        found: Option<String>,
        settings: &crate::settings::ApplicationSettings,
    ) -> Result<Option<crate::manifest::Manifest>, Error> {
        let dir = &self.name.dir;
        let Surroundings { source_path, tools, rendering, .. } = &self.surroundings;
        let Some(launcher) = &rendering.launcher else {
            return Err(Error::NeedsRenderer { dir: dir.clone(), renderer, found });
        };
        let target = Target { dir, tools, launcher, rendering };
        let on_disk = render::OnDisk { source_path: source_path.as_deref(), prefix: self.name.prefix() };
        render::render(&target, &on_disk, renderer, settings).map(Some)
    }

    fn find(&mut self, name: &Path) -> Result<Option<Entry<PathBuf>>, Error> {
        let place = self.name.dir.join(name);
        match fs::symlink_metadata(&place) {
            Ok(found) => Ok(Some(Entry { path: PathBuf::from(name), kind: kind(found.file_type()), place })),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(Error::unreadable(self.name.file(name), error)),
        }
    }

    fn follow(&mut self, link: &Entry<PathBuf>) -> Result<Option<PathBuf>, Error> {
        let shown = self.name.file(&link.path);
        let unreadable = |error: io::Error| Error::unreadable(&shown, error);
        let target = match fs::canonicalize(&link.place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            target => target.map_err(unreadable)?,
        };
        if !repository::is_inbound(&target, self.root()?) {
            return Err(Error::LeavesRepository(shown));
        }
        let metadata = fs::metadata(&target).map_err(unreadable)?;
        Ok(metadata.is_file().then_some(target))
    }

    fn on_disk(&self, place: &PathBuf) -> Option<PathBuf> {
        Some(place.clone())
    }

    fn read(&mut self, file: &PathBuf, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let opened = File::open(file)?;
        let metadata = opened.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no longer a regular file").into());
        }
        Ok(read_whole(&opened, metadata.len(), limit)?)
    }
}

/// An error unless `dir` is a directory, or a symlink to one.
pub(super) fn check_directory(dir: &Path) -> Result<(), Error> {
    let metadata = fs::metadata(dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoSuchPath(dir.to_owned()),
        _ => Error::unreadable(dir, error),
    })?;
    if metadata.is_dir() { Ok(()) } else { Err(Error::NotADirectory(dir.to_owned())) }
}

fn kind(found: FileType) -> Kind {
    if found.is_symlink() {
        Kind::Link
    } else if found.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

/// Reads the whole of `file`, which is said to have `size` bytes, or nothing when that is more than `limit`.
fn read_whole(mut file: &File, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
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
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all_whatever_its_size_was_said_to_be() {
        let read = |limit, size| read_whole(&File::open("Cargo.toml").unwrap(), size, limit).unwrap();
        let length = fs::metadata("Cargo.toml").unwrap().len();
        assert_eq!(read(10, 11), None);
        assert_eq!(read(10, 1), None);
        assert_eq!(read(length - 1, length - 1), None);
        for size in [0, 1, length - 1, length, length + 1] {
            let bytes = read(length + 1, size).unwrap();
            assert_eq!(bytes, fs::read("Cargo.toml").unwrap(), "said to be {size} bytes");
        }
    }
}
