#![doc = include_str!("../README.md")]
//!
//! A [`Source`] is opened once. All paths in its manifests and in errors are paths that the user knows: the name of the
//! directory is decided when the source is opened.
//!
//! A chart or a kustomization is rendered on disk and in a revision; in memory it is refused. Nothing here reads the
//! environment. Only `git.rs` and the crate `render` start processes, and files in memory need no operating system.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "a test may start a process"))]

mod directory;
mod disk;
mod error;
mod git;
mod input;
mod listing;
mod memory;
mod revision;
#[cfg(test)]
mod tests;
mod top_file;
mod version;
mod vfs;
mod working_tree;

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::encoding::{self, Utf16};
use checkout::{Tools, clean, files, repository};
use kube_jobs::argocd::Glob;
use render::{Renderer, Rendering, detect};
use rewrite::manifest::{Manifest, Reader};
use rewrite::settings::{ApplicationSettings, CONFIG_FILE, ConfigText, Recurse, SourceKind};
use text::{Origin, Place};

use directory::Selection;
use disk::Disk;
pub use error::{Error, ReadError};
pub use git::NoRevision;
pub use input::{FORCED_REVISION, Input, base, copy_of_revision, goes_back_to};
use memory::Memory;
use revision::Revision;
pub use revision::{Counterpart, Revisions};
pub use version::{VersionError, read_layers, read_version};
use vfs::{DirectoryName, Entry, SourceTree};
pub use working_tree::{remote_url, tags, tracked_files};

/// The maximum size of a source's manifests together, in bytes: what Argo CD accepts from a plugin
/// (`MaxGRPCMessageSize` in `cmpserver/apiclient/clientset.go`, 100 MiB unless `ARGOCD_GRPC_MAX_SIZE_MB` is set).
pub const MAX_TOTAL_BYTES: u64 = 100 << 20;

/// The maximum size of a revision's files, in bytes, when they are written to disk for Helm or kustomize.
const MAX_CHECKOUT_BYTES: u64 = 1 << 30;

/// The maximum number of files in a directory that could be manifests by their names.
pub const MAX_FILES: usize = 32_000;

/// The maximum length of the paths of these files together, in bytes.
pub const MAX_PATHS: usize = 4 << 20;

/// What a source needs to know about its surroundings. The default suits files in memory and streams.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The prefix of the paths of the directory's files in messages and findings; for a single file, its path. By
    /// default this is the directory or file as the user wrote it, without `.` and superfluous `..`; for files in
    /// memory it is empty.
    pub shown_as: Option<PathBuf>,
    /// The Application's path in its repository (`ARGOCD_APP_SOURCE_PATH`). It helps to find the root of the
    /// repository, which symlinks may not leave.
    pub source_path: Option<String>,
    /// The root of the repository, if it is known: an absolute path without symlinks. Otherwise it is searched for.
    pub root: Option<PathBuf>,
    /// The programs that may be started: `git` for a revision, `helm` for a chart, `kustomize` for a kustomization.
    pub tools: Tools,
    /// The surroundings that only rendering needs.
    pub rendering: Rendering,
    /// The opened revisions, shared so that each is opened, and written to disk, only once.
    pub revisions: Arc<Revisions>,
    /// Names of files in a plain directory: only these are read. `None` for all files that Argo CD would read.
    pub only: Option<Vec<PathBuf>>,
}

impl Surroundings {
    /// The root of the repository that contains `dir`: the known one, or the result of a search.
    fn root_of(&self, dir: &Path) -> io::Result<PathBuf> {
        match &self.root {
            Some(root) => Ok(root.clone()),
            None => repository::root_of(dir, self.source_path.as_deref()),
        }
    }
}

/// An open source.
pub struct Source(Kind);

enum Kind {
    Stream {
        stream: Box<dyn Read>,
        origin: Origin,
    },
    /// A directory; for a plain one, perhaps with the names of the only files to read.
    Directory(Box<dyn SourceTree>, Option<Vec<PathBuf>>),
    /// A single file of a directory.
    File(Box<dyn SourceTree>, PathBuf),
}

impl Source {
    /// Opens a source. Only opening a revision can fail, because it starts git; other sources are first accessed when
    /// they are read.
    pub fn open(input: Input, surroundings: &Surroundings) -> Result<Self, Error> {
        let shown_as = surroundings.shown_as.as_deref();
        let of = |tree: Box<dyn SourceTree>, file: Option<PathBuf>| match file {
            Some(file) => Self(Kind::File(tree, file)),
            None => Self(Kind::Directory(tree, surroundings.only.clone())),
        };
        Ok(match input {
            Input::Stream(stream) => Self::of_stream(stream),
            Input::Directory(dir) => {
                let name = DirectoryName::new(dir, shown_as);
                let name = if surroundings.rendering.caller.is_of_a_copy { name.of_a_copy() } else { name };
                of(Box::new(Disk::new(name, surroundings)), None)
            }
            Input::Files(files) => Self::files_shown_as(shown_as, files),
            Input::File(file) if input::is_pipe(&file) => {
                let origin = Origin::File(shown_as.map_or_else(|| clean(&file), Path::to_owned).into());
                Self(Kind::Stream { stream: Box::new(input::Pipe::new(file)), origin })
            }
            Input::File(file) => {
                let (name, file) = DirectoryName::of_file(&file, shown_as)?;
                of(Box::new(Disk::new(name, surroundings)), Some(file))
            }
            Input::Revision { dir, revision } => {
                let (name, file) = match dir.is_file() {
                    true => DirectoryName::of_file(&dir, shown_as).map(|(name, file)| (name, Some(file)))?,
                    false => (DirectoryName::new(dir, shown_as), None),
                };
                of(Box::new(Revision::open(name, revision, surroundings)?), file)
            }
        })
    }

    /// A source directory in memory, given by its files and their relative paths.
    pub fn files<P: Into<PathBuf>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        Self::files_shown_as(None, files)
    }

    /// The same, with the prefix of the paths of the files in messages and findings. Unlike [`Source::open`] it refers to no code that reads a disk,
    /// which is most of the program.
    pub fn files_shown_as<P: Into<PathBuf>, B: Into<Vec<u8>>>(
        prefix: Option<&Path>,
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
        Self(Kind::Directory(Box::new(Memory::new(DirectoryName::new(PathBuf::from("."), prefix), files)), None))
    }

    /// A stream of manifests in memory.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of_stream(Box::new(io::Cursor::new(bytes.into())))
    }

    fn of_stream(stream: Box<dyn Read>) -> Self {
        Self(Kind::Stream { stream, origin: Origin::StandardInput })
    }

    /// The prefix of the paths of the files in messages and findings; empty when they are relative to the source. For
    /// a single file, its path.
    pub fn shown_as(&self) -> PathBuf {
        match &self.0 {
            Kind::Stream { .. } => PathBuf::new(),
            Kind::Directory(tree, _) => tree.name().prefix().to_owned(),
            Kind::File(tree, file) => tree.name().file(file),
        }
    }

    /// The config file; `None` when there is none, and for a stream or a single file.
    pub fn config_file(&mut self) -> Result<Option<ConfigText>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => top_file::config_file(&mut **tree),
            _ => Ok(None),
        }
    }

    /// The text of a file in the directory itself, of at most `limit` bytes. `None` when there is no such file, and
    /// for a stream or a single file.
    pub fn small_file(&mut self, name: &str, limit: u64) -> Result<Option<String>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => top_file::read(&mut **tree, name, limit),
            _ => Ok(None),
        }
    }

    /// The name of the config file, if it exists. It marks an Application as one for this plugin, even if the file
    /// cannot be read.
    pub fn marker(&mut self) -> Option<&'static str> {
        let is_there = match &mut self.0 {
            Kind::Directory(tree, _) => matches!(tree.find(Path::new(CONFIG_FILE)), Ok(Some(_))),
            _ => false,
        };
        is_there.then_some(CONFIG_FILE)
    }

    /// The tool that renders the source with these settings; `None` for a plain directory, a single file or a stream.
    pub fn renderer(&mut self, settings: &ApplicationSettings) -> Result<Option<Renderer>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => Ok(renderer(settings.source, &tree.list(Recurse::No)?).0),
            _ => Ok(None),
        }
    }

    /// Reads the manifests, in Argo CD's order. A source without manifests is not an error here.
    pub fn manifests(self, settings: &ApplicationSettings) -> Result<Vec<Manifest>, Error> {
        match self.0 {
            Kind::Stream { stream, origin } => Ok(vec![read_stream(stream, origin)?]),
            Kind::Directory(mut tree, files) => read_directory(&mut *tree, settings, files.as_deref()),
            Kind::File(mut tree, file) => directory::read_one(&mut *tree, &file),
        }
    }
}

fn read_directory(
    tree: &mut dyn SourceTree,
    settings: &ApplicationSettings,
    only: Option<&[PathBuf]>,
) -> Result<Vec<Manifest>, Error> {
    // No `..` here: a new setting of the Application does not compile until it is handled.
    let ApplicationSettings {
        source,
        recurse,
        include,
        exclude,
        helm: _,
        kustomize: _,
        platform: _,
        output: _,
        is_native,
    } = settings;
    let mut entries = tree.list(*recurse)?;
    let (renderer, found) = renderer(*source, &entries);
    if let Some(renderer) = renderer {
        return Ok(tree.render(renderer, found, settings)?.into_iter().collect());
    }
    if let Some(only) = only {
        let only: HashSet<&Path> = only.iter().map(PathBuf::as_path).collect();
        // `only` applies to the directory itself: Argo CD reads all files of its subdirectories.
        entries.retain(|entry| !entry.is_at_top() || only.contains(&*entry.path));
    }
    let glob = |pattern: &Option<String>| pattern.as_deref().filter(|pattern| !pattern.is_empty()).map(Glob::new);
    // Argo CD itself leaves out no kustomization. With the plugin, `directory` is for folders in which Argo CD would
    // run kustomize.
    let without_kustomizations = *source == SourceKind::Directory && !is_native;
    let selection = Selection { include: glob(include), exclude: glob(exclude), without_kustomizations };
    directory::read(tree, entries, &selection)
}

/// The tool that renders a source of this kind. If the kind is detected, also the name of the file that decides it.
fn renderer(source: SourceKind, entries: &[Entry]) -> (Option<Renderer>, Option<String>) {
    match source {
        SourceKind::Directory => (None, None),
        SourceKind::Kustomize => (Some(Renderer::Kustomize), None),
        SourceKind::Helm => (Some(Renderer::Helm), None),
        SourceKind::Auto => {
            let at_top = entries.iter().filter(|entry| entry.is_at_top());
            detect(at_top.filter_map(|entry| entry.path.to_str()))
        }
    }
}

fn read_stream(stream: Box<dyn Read>, origin: Origin) -> Result<Manifest, Error> {
    let read = files::read_stream(stream, MAX_TOTAL_BYTES).map_err(|error| match &origin {
        Origin::File(path) => Error::unreadable(path.as_ref(), error),
        _ => Error::UnreadableStream(error),
    })?;
    let Some(mut bytes) = read else { return Err(Error::TooLarge(origin)) };
    // The buffer of a stream can be twice as large as its content.
    bytes.shrink_to_fit();
    manifest(origin, bytes)
}

/// The manifest with these bytes, which are a stream of documents.
fn manifest(origin: Origin, bytes: Vec<u8>) -> Result<Manifest, Error> {
    let text = decoded(&origin, bytes)?;
    Ok(Manifest::new(origin, text, Reader::Stream))
}

/// The text of these bytes, which are UTF-8, without a byte order mark.
fn decoded(origin: &Origin, bytes: Vec<u8>) -> Result<String, Error> {
    encoding::decode(bytes, Utf16::Refuse).map_err(|failure| undecodable(origin.clone(), &failure))
}

fn undecodable(origin: Origin, failure: &encoding::Failure) -> Error {
    Error::Undecodable { place: Place::new(origin, failure.at), why: failure.why }
}
