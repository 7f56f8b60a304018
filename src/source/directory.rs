//! Argo CD's own directory source, so that moving an Application to the plugin changes nothing but its Jobs.
//!
//! Which files it reads, and in which order, is `getPotentiallyValidManifests` in Argo CD's
//! `reposerver/repository/repository.go`; each rule below is one of its. On purpose otherwise: a source directory given as a
//! symlink is followed, directories that are not read are not opened, the program's own config file is left out, and Jsonnet
//! and undecodable text are errors. What the files mean is for others to find out.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use memchr::memmem;
use walkdir::{DirEntry, WalkDir};

use super::encoding::{self, Utf16};
use super::{Error, MAX_TOTAL_BYTES, Recurse, repository};
use crate::glob::Glob;
use crate::manifest::{Manifest, Reader};
use crate::settings::CONFIG_FILE;
use crate::text::{Origin, Place};

/// A file that holds this anywhere is not read.
const SKIP_MARKER: &[u8] = b"+argocd:skip-file-rendering";

/// Which files of the directory are wanted, and how far links may lead.
pub(super) struct Selection<'r> {
    pub(super) include: Option<Glob>,
    pub(super) exclude: Option<Glob>,
    pub(super) source_path: Option<&'r str>,
}

/// Everything in `dir` that is not a directory, in the order of Go's `filepath.Walk`: sorted by name, directory by directory.
pub(super) fn list(dir: &Path, recurse: Recurse) -> Result<Vec<DirEntry>, Error> {
    let metadata = std::fs::metadata(dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoSuchDirectory(dir.to_owned()),
        _ => Error::Unreadable { path: dir.to_owned(), error },
    })?;
    if !metadata.is_dir() {
        return Err(Error::NotADirectory(dir.to_owned()));
    }
    let depth = match recurse {
        Recurse::Yes => usize::MAX,
        Recurse::No => 1,
    };
    let mut files = Vec::new();
    for entry in WalkDir::new(dir).min_depth(1).max_depth(depth).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let below = error.path().filter(|path| *path != dir);
            let path = below.map_or(dir, |path| relative(path, dir)).to_owned();
            Error::Unreadable { path, error: error.into() }
        })?;
        if !entry.file_type().is_dir() {
            files.push(entry);
        }
    }
    Ok(files)
}

/// The manifests among `files`, which [`list`] found in `dir`.
pub(super) fn read(dir: &Path, files: &[DirEntry], selection: &Selection) -> Result<Vec<Manifest>, Error> {
    let mut folder = Folder { dir, selection, root: OnceCell::new(), budget: Budget { left: MAX_TOTAL_BYTES } };
    let marker = memmem::Finder::new(SKIP_MARKER);
    let mut manifests = Vec::with_capacity(files.len());
    for file in files {
        manifests.extend(folder.read_file(file, &marker)?);
    }
    Ok(manifests)
}

/// The part of `path` below `dir`.
fn relative<'p>(path: &'p Path, dir: &Path) -> &'p Path {
    path.strip_prefix(dir).unwrap_or(path)
}

/// What kind of file a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    Yaml,
    Json,
    Jsonnet,
}

impl Extension {
    /// Argo CD's `^.*\.(yaml|yml|json|jsonnet)$`: case counts, and a dot does not match a newline.
    fn of(name: &[u8]) -> Option<Self> {
        let dot = memchr::memrchr(b'.', name)?;
        if name.contains(&b'\n') {
            return None;
        }
        match &name[dot + 1..] {
            b"yaml" | b"yml" => Some(Self::Yaml),
            b"json" => Some(Self::Json),
            b"jsonnet" => Some(Self::Jsonnet),
            _ => None,
        }
    }
}

/// How much may still be read.
struct Budget {
    left: u64,
}

impl Budget {
    /// Reads the whole of `file`, or nothing when that is more than is left.
    fn read(&self, mut file: &File, size: u64) -> io::Result<Option<Vec<u8>>> {
        if size > self.left {
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
            file.take((self.left + 1).saturating_sub(got as u64)).read_to_end(&mut bytes)?;
        }
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= self.left))
    }

    fn spend(&mut self, bytes: &str) {
        self.left = self.left.saturating_sub(bytes.len() as u64);
    }
}

/// The directory while it is read.
struct Folder<'d> {
    dir: &'d Path,
    selection: &'d Selection<'d>,
    /// Looked for at the first symlink only.
    root: OnceCell<PathBuf>,
    budget: Budget,
}

impl Folder<'_> {
    /// The manifest in `file`, unless one of Argo CD's rules passes it over.
    fn read_file(&mut self, file: &DirEntry, marker: &memmem::Finder) -> Result<Option<Manifest>, Error> {
        let path = relative(file.path(), self.dir);
        let Some(extension) = Extension::of(file.file_name().as_encoded_bytes()) else { return Ok(None) };
        if path == Path::new(CONFIG_FILE) {
            return Ok(None);
        }
        let unreadable = |error| Error::Unreadable { path: path.to_owned(), error };
        // Links are judged before the globs: Argo CD refuses one that leaves the repository even when it is excluded.
        let target = if file.file_type().is_symlink() {
            let Some(target) = self.follow(file.path(), path)? else { return Ok(None) };
            Some(target)
        } else if file.file_type().is_file() {
            None
        } else {
            return Ok(None);
        };
        if !self.selects(path) {
            return Ok(None);
        }
        let opened = File::open(target.as_deref().unwrap_or(file.path())).map_err(unreadable)?;
        let metadata = opened.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(unreadable(io::Error::other("it is no longer a regular file")));
        }
        let Some(bytes) = self.budget.read(&opened, metadata.len()).map_err(unreadable)? else {
            return Err(Error::TooLarge(Origin::File(path.to_owned())));
        };
        self.manifest(path, bytes, extension, marker)
    }

    /// The file that the symlink at `link` leads to; `None` when there is none, or it is not a regular file.
    fn follow(&self, link: &Path, path: &Path) -> Result<Option<PathBuf>, Error> {
        let unreadable = |error| Error::Unreadable { path: path.to_owned(), error };
        let target = match std::fs::canonicalize(link) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            target => target.map_err(unreadable)?,
        };
        let root = match self.root.get() {
            Some(root) => root,
            None => {
                let root = repository::root_of(self.dir, self.selection.source_path)
                    .map_err(|error| Error::Unreadable { path: self.dir.to_owned(), error })?;
                self.root.get_or_init(|| root)
            }
        };
        if !repository::is_inbound(&target, root) {
            return Err(Error::LeavesRepository(path.to_owned()));
        }
        let metadata = std::fs::metadata(&target).map_err(unreadable)?;
        Ok(metadata.is_file().then_some(target))
    }

    fn selects(&self, path: &Path) -> bool {
        let Selection { include, exclude, .. } = self.selection;
        if include.is_none() && exclude.is_none() {
            return true;
        }
        let path = path.to_string_lossy();
        let is_excluded = exclude.as_ref().is_some_and(|exclude| exclude.matches(&path));
        !is_excluded && include.as_ref().is_none_or(|include| include.matches(&path))
    }

    fn manifest(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        extension: Extension,
        marker: &memmem::Finder,
    ) -> Result<Option<Manifest>, Error> {
        let origin = Origin::File(path.to_owned());
        let decoded = encoding::decode(bytes, Utf16::Decode);
        let readable = decoded.as_ref().unwrap_or_else(|failure| &failure.lossy);
        if marker.find(readable.as_bytes()).is_some() {
            return Ok(None);
        }
        let reader = match extension {
            Extension::Jsonnet => return Err(Error::Jsonnet(path.to_owned())),
            Extension::Json => Reader::DirectoryJson,
            Extension::Yaml => Reader::DirectoryYaml,
        };
        match decoded {
            Ok(text) => {
                self.budget.spend(&text);
                Ok(Some(Manifest { origin, text, reader }))
            }
            // Argo CD reads on with U+FFFD in place of the bad bytes. Without a `kind` there is no object it could find.
            Err(failure) if reader == Reader::DirectoryYaml && !failure.lossy.contains("kind") => Ok(None),
            Err(failure) => Err(Error::Undecodable { place: Place { origin, at: failure.at }, why: failure.why }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_judged_as_argo_cd_does() {
        for (name, extension) in [
            ("a.yaml", Some(Extension::Yaml)),
            ("a.yml", Some(Extension::Yaml)),
            (".yaml", Some(Extension::Yaml)),
            ("a.b.json", Some(Extension::Json)),
            ("a.jsonnet", Some(Extension::Jsonnet)),
            ("a.YAML", None),
            ("a.yaml.bak", None),
            ("a.yaml~", None),
            ("yaml", None),
            ("a.libsonnet", None),
            ("a.yaml\n", None),
            ("a\nb.yaml", None),
        ] {
            assert_eq!(Extension::of(name.as_bytes()), extension, "{name:?}");
        }
    }

    #[test]
    fn a_file_is_read_whole_or_not_at_all_whatever_its_size_was_said_to_be() {
        let read = |left, size| Budget { left }.read(&File::open("Cargo.toml").unwrap(), size).unwrap();
        let length = std::fs::metadata("Cargo.toml").unwrap().len();
        assert_eq!(read(10, 11), None);
        assert_eq!(read(10, 1), None);
        assert_eq!(read(length - 1, length - 1), None);
        for size in [0, 1, length - 1, length, length + 1] {
            let bytes = read(length + 1, size).unwrap();
            assert_eq!(bytes, std::fs::read("Cargo.toml").unwrap(), "said to be {size} bytes");
        }
    }
}
