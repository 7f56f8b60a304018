//! A source directory on disk.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use checkout::files::{self, Below};
use checkout::{is_pointer, repository};
use render::Target;
use system::threads::{self, MAX_THREADS};
use system::{canonical, is_missing};
use walkdir::WalkDir;

use super::listing::Listing;
use super::vfs::{DirectoryName, Entry, Kind, Place, SourceTree};
use super::{Error, ReadError, Recurse, Surroundings};

/// A directory, and the limits for links in it.
#[derive(Debug)]
pub(super) struct Disk {
    name: DirectoryName,
    surroundings: Surroundings,
    files: Below,
    /// Files read ahead, in the order of the requests to come.
    ahead: VecDeque<(Arc<Path>, Vec<u8>)>,
    /// Determined before anything is read.
    root: OnceCell<PathBuf>,
    linked: Option<Below>,
}

impl Disk {
    /// A directory on disk. Opens no file yet.
    pub(super) fn new(name: DirectoryName, surroundings: &Surroundings) -> Self {
        let files = Below::new(name.dir.clone());
        Self {
            name,
            surroundings: surroundings.clone(),
            files,
            ahead: VecDeque::new(),
            root: OnceCell::new(),
            linked: None,
        }
    }

    fn root(&self) -> Result<&Path, Error> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let root = self.surroundings.root_of(&self.name.dir);
        let root = root.map_err(|error| Error::unreadable(&self.name.called, error))?;
        Ok(self.root.get_or_init(|| root))
    }
}

impl SourceTree for Disk {
    fn name(&self) -> &DirectoryName {
        &self.name
    }

    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry>, Error> {
        let dir = &self.name.dir;
        check_directory(dir, &self.name.called)?;
        self.root()?;
        let depth = match recurse {
            Recurse::Yes => usize::MAX,
            Recurse::No => 1,
        };
        let mut files = Listing::of(&self.name);
        for entry in WalkDir::new(dir).min_depth(1).max_depth(depth).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                let below = error.path().filter(|path| path != dir);
                let path = below.map_or_else(
                    || self.name.called.clone(),
                    |path| self.name.file(path.strip_prefix(dir).unwrap_or(path)),
                );
                Error::unreadable(path, io::Error::from(error))
            })?;
            if !entry.file_type().is_dir() {
                let path = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                files.add(path, kind(entry.file_type()), |path| Place::Here(Arc::clone(path)))?;
            }
        }
        Ok(files.entries())
    }

    fn render(
        &mut self,
        renderer: render::Renderer,
        found: Option<String>,
        settings: &rewrite::settings::ApplicationSettings,
    ) -> Result<Option<rewrite::manifest::Manifest>, Error> {
        let dir = &self.name.dir;
        let Surroundings { tools, rendering, .. } = &self.surroundings;
        let Some(launcher) = rendering.starts_tools() else {
            return Err(Error::NeedsRenderer { dir: self.name.called.clone(), renderer, found });
        };
        let target = Target { dir, tools, launcher, rendering };
        let rendered = render::render(&target, self.root()?, self.name.prefix(), renderer, settings);
        rendered.map(Some).map_err(|error| Error::not_rendered(&self.name.called, error))
    }

    fn find(&mut self, name: &Path) -> Result<Option<Entry>, Error> {
        match fs::symlink_metadata(self.name.dir.join(name)) {
            Ok(found) => {
                self.root()?;
                let path: Arc<Path> = name.into();
                Ok(Some(Entry { place: Place::Here(Arc::clone(&path)), path, kind: kind(found.file_type()) }))
            }
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(Error::unreadable(self.name.file(name), error)),
        }
    }

    fn follow(&mut self, link: &Entry) -> Result<Option<Place>, Error> {
        let shown = self.name.file(&link.path);
        let unreadable = |error: io::Error| Error::unreadable(&shown, error);
        let target = match canonical(self.name.dir.join(&link.path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            target => target.map_err(unreadable)?,
        };
        let root = self.root()?;
        let below = target.strip_prefix(root).ok().filter(|_| repository::is_inbound(&target, root));
        let Some(below) = below else { return Err(Error::LeavesRepository(shown)) };
        let metadata = fs::symlink_metadata(&target).map_err(unreadable)?;
        Ok(metadata.is_file().then(|| Place::Linked(below.to_owned())))
    }

    fn on_disk(&self, file: &Entry) -> Option<PathBuf> {
        Some(self.name.dir.join(&file.path))
    }

    fn expect(&mut self, files: &mut dyn Iterator<Item = &Place>, limit: u64) {
        let paths = files.filter_map(|file| match file {
            Place::Here(path) => Some(path),
            Place::Linked(_) | Place::Blob(_) => None,
        });
        self.ahead = read_ahead(&self.name.dir, &paths.collect::<Vec<_>>(), limit);
    }

    fn read(&mut self, file: &Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
        if let Place::Here(path) = file
            && self.ahead.front().is_some_and(|(ahead, _)| ahead == path)
        {
            let bytes = self.ahead.pop_front().map(|(_, bytes)| bytes);
            return no_pointer(bytes.filter(|bytes| bytes.len() as u64 <= limit));
        }
        let opened = match file {
            Place::Here(path) => self.files.open(path)?,
            Place::Blob(_) => return Err(io::Error::from(io::ErrorKind::NotFound).into()),
            Place::Linked(path) => {
                let root =
                    self.root.get().ok_or_else(|| io::Error::other("the root of the repository is not known"))?;
                self.linked.get_or_insert_with(|| Below::new(root.clone())).open(path)?
            }
        };
        no_pointer(files::read_opened(&opened, limit)?)
    }
}

/// The content of a file; an error if it is only a pointer of Git LFS.
fn no_pointer(content: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, ReadError> {
    if content.as_deref().is_some_and(is_pointer) { Err(ReadError::Pointer) } else { Ok(content) }
}

/// The number of files that a thread reads at a time. A directory with fewer files is read without threads.
const BATCH: usize = 64;

/// Reads files below `dir` on several threads. Leaves out files that cannot be read, and files that would exceed
/// `limit` bytes together: a later request for them returns the error.
fn read_ahead(dir: &Path, files: &[&Arc<Path>], limit: u64) -> VecDeque<(Arc<Path>, Vec<u8>)> {
    if files.len() < BATCH {
        return VecDeque::new();
    }
    let left = AtomicU64::new(limit);
    let batches: Vec<&[&Arc<Path>]> = files.chunks(BATCH).collect();
    let read = |below: &mut Below, path: &Arc<Path>| {
        let opened = below.open(path).ok()?;
        let size = opened.metadata().ok()?.len();
        left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(size)).ok()?;
        let bytes = files::read_expecting(&opened, size, size).ok()??;
        Some((Arc::clone(path), bytes))
    };
    let of_batch = |below: &mut Below, index: usize| {
        let batch = batches.get(index).copied().unwrap_or_default();
        batch.iter().filter_map(|path| read(below, path)).collect::<Vec<_>>()
    };
    let read = threads::in_order(batches.len(), MAX_THREADS, || Below::new(dir.to_owned()), of_batch);
    read.into_iter().flatten().collect()
}

/// Fails unless `dir`, which messages call `called`, is a directory, or a symlink to one.
pub(super) fn check_directory(dir: &Path, called: &Path) -> Result<(), Error> {
    let metadata = fs::metadata(dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => Error::NoSuchPath(called.to_owned()),
        _ => Error::unreadable(called, error),
    })?;
    if metadata.is_dir() { Ok(()) } else { Err(Error::NotADirectory(called.to_owned())) }
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
