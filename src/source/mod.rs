//! Where manifests come from: a directory as Argo CD reads it (on disk, in a git revision, or in memory), one file of it, or standard
//! input.
//!
//! A [`Source`] is opened once and hands out its config file and its manifests. All paths in them, and in errors, are the ones the user
//! knows: the name of the directory is decided when the source is opened.
//!
//! Reads bytes and decodes them; what the text means is the business of other modules. A directory that Argo CD would hand to Helm or
//! kustomize is rendered by these tools, on disk and in a revision; in memory it is refused. Reads no environment. Only `git.rs` and `tool/` start processes, and
//! files in memory need no system at all.

#[cfg(unix)]
mod again;
mod checkout;
mod config_file;
mod confined;
mod directory;
mod disk;
mod encoding;
mod error;
mod files;
mod git;
#[cfg(unix)]
mod fickle;
#[cfg(unix)]
mod helm;
mod input;
#[cfg(unix)]
mod kustomize;
mod listing;
mod memory;
#[cfg(unix)]
mod masked;
#[cfg(unix)]
mod places;
#[cfg(unix)]
mod reading;
mod remote;
#[cfg(unix)]
mod render;
mod rendering;
mod replace;
mod repository;
mod revision;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod tool;
mod tools;
mod top_file;
mod vfs;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::argocd::Glob;
use crate::manifest::{Manifest, Reader};
use crate::settings::{ApplicationSettings, CONFIG_FILE, ConfigText, Recurse, SourceKind};
use crate::text::{Origin, Place};
pub use checkout::{
    NoFolder, folder_in, have_equal_bytes, read_named, read_small, remote_url, small_file_in, tracked_files,
};
use directory::Selection;
use disk::Disk;
pub use encoding::Undecodable;
use encoding::Utf16;
pub use error::{Error, ReadError};
pub use git::NoRevision;
pub use input::{FORCED_REVISION, Input, base, copy_of_revision};
use memory::Memory;
#[cfg(unix)]
pub use reading::{check_chart, reason_to_refuse};
pub use remote::{Fetching, NotFetched, Remote, Remotes};
pub use rendering::{Caller, Rendering};
pub use replace::{NotReplaced, check_creatable, check_replaceable, create, replace};
pub use repository::is_in_repository;
use revision::Revision;
pub use revision::{Counterpart, Revisions};
#[cfg(unix)]
pub use tool::RenderError;
pub use tools::Tools;
use vfs::{DirectoryName, Entry, SourceTree};

/// The most bytes that the manifests of a source may have: what Argo CD takes from a plugin (`MaxGRPCMessageSize` in
/// `cmpserver/apiclient/clientset.go`, 100 MiB unless `ARGOCD_GRPC_MAX_SIZE_MB` says otherwise).
pub const MAX_TOTAL_BYTES: u64 = 100 << 20;

/// The most bytes that the files of a revision may have, where they are written for Helm or kustomize.
const MAX_CHECKOUT_BYTES: u64 = 1 << 30;

/// The most files in a directory that could be manifests by their names.
pub const MAX_FILES: usize = 32_000;

/// The most bytes that the paths of these files may have together.
pub const MAX_PATHS: usize = 4 << 20;

/// What a source has to know of its surroundings. The default suits files in memory and streams.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// What the paths of the directory's files begin with, in messages and findings; of a file, its path. By default this is the directory
    /// or file as it is given, without `.` and superfluous `..`; for files in memory, nothing.
    pub shown_as: Option<PathBuf>,
    /// The Application's path in its repository (`ARGOCD_APP_SOURCE_PATH`), to find the root that symlinks may not leave.
    pub source_path: Option<String>,
    /// The root of the repository, when it is known: absolute, without symlinks. Otherwise it is searched for.
    pub root: Option<PathBuf>,
    /// The programs that may be started: for a revision `git`, for a chart `helm`, for a kustomization `kustomize`.
    pub tools: Tools,
    /// What rendering needs.
    pub rendering: Rendering,
    /// The files of a plain directory that are read, by their names; without it, all that Argo CD would read.
    pub only: Option<Vec<PathBuf>>,
}

impl Surroundings {
    /// The root of the repository that `dir` is in: the known one, or else the one that is found.
    fn root_of(&self, dir: &Path) -> io::Result<PathBuf> {
        match &self.root {
            Some(root) => Ok(root.clone()),
            None => repository::root_of(dir, self.source_path.as_deref()),
        }
    }
}

/// An open source.
#[derive(Debug)]
pub struct Source(Kind);

enum Kind {
    Stream {
        stream: Box<dyn Read>,
        origin: Origin,
    },
    /// A directory; of a plain one perhaps only these files.
    Directory(Box<dyn SourceTree>, Option<Vec<PathBuf>>),
    /// A file of a directory.
    File(Box<dyn SourceTree>, PathBuf),
}

impl Source {
    /// Opens a source. Only a revision is looked at already, by starting git; the other kinds cannot fail before they are read.
    pub fn open(input: Input, surroundings: &Surroundings) -> Result<Self, Error> {
        let shown_as = surroundings.shown_as.as_deref();
        let of = |tree: Box<dyn SourceTree>, file: Option<PathBuf>| match file {
            Some(file) => Self(Kind::File(tree, file)),
            None => Self(Kind::Directory(tree, surroundings.only.clone())),
        };
        Ok(match input {
            Input::Stream(stream) => Self::of_stream(stream),
            Input::Directory(dir) => of(Box::new(Disk::new(DirectoryName::new(dir, shown_as), surroundings)), None),
            Input::Files(files) => {
                of(Box::new(Memory::new(DirectoryName::new(PathBuf::from("."), shown_as), files)), None)
            }
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

    /// A source directory in memory: its files, by their paths relative to it.
    pub fn files<P: Into<PathBuf>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
        Self(Kind::Directory(Box::new(Memory::new(DirectoryName::new(PathBuf::from("."), None), files)), None))
    }

    /// A stream of manifests in memory.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of_stream(Box::new(io::Cursor::new(bytes.into())))
    }

    fn of_stream(stream: Box<dyn Read>) -> Self {
        Self(Kind::Stream { stream, origin: Origin::StandardInput })
    }

    /// What the paths of the files begin with, in messages and findings; empty when they are relative to the source. Of a file, its path.
    pub fn shown_as(&self) -> PathBuf {
        match &self.0 {
            Kind::Stream { .. } => PathBuf::new(),
            Kind::Directory(tree, _) => tree.name().prefix().to_owned(),
            Kind::File(tree, file) => tree.name().file(file),
        }
    }

    /// The config file; `None` when there is none, as for a stream or a file.
    pub fn config_file(&mut self) -> Result<Option<ConfigText>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => config_file::read(&mut **tree),
            _ => Ok(None),
        }
    }

    /// The text of a file in the directory itself, of at most `limit` bytes; `None` when there is none, as for a stream or a file.
    pub fn small_file(&mut self, name: &str, limit: u64) -> Result<Option<String>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => top_file::read(&mut **tree, name, limit),
            _ => Ok(None),
        }
    }

    /// The name of the config file, when there is one: the marker by which an Application is known to want this plugin. Whether it can be
    /// read is not asked.
    pub fn marker(&mut self) -> Option<&'static str> {
        let is_there = match &mut self.0 {
            Kind::Directory(tree, _) => matches!(tree.find(Path::new(CONFIG_FILE)), Ok(Some(_))),
            _ => false,
        };
        is_there.then_some(CONFIG_FILE)
    }

    /// The tool that renders the source with these settings; none for a plain directory, a file or a stream.
    pub fn renderer(&mut self, settings: &ApplicationSettings) -> Result<Option<Renderer>, Error> {
        match &mut self.0 {
            Kind::Directory(tree, _) => Ok(renderer(settings.source, &tree.list(Recurse::No)?).0),
            _ => Ok(None),
        }
    }

    /// Reads the manifests, in the order in which Argo CD reads them. A source without any is no error here.
    pub fn manifests(self, settings: &ApplicationSettings) -> Result<Vec<Manifest>, Error> {
        match self.0 {
            Kind::Stream { stream, origin } => Ok(vec![read_stream(stream, origin)?]),
            Kind::Directory(mut tree, files) => read_directory(&mut *tree, settings, files.as_deref()),
            Kind::File(mut tree, file) => directory::read_one(&mut *tree, &file),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream { origin, .. } => f.debug_tuple("Stream").field(origin).finish(),
            Self::Directory(tree, files) => f.debug_tuple("Directory").field(tree).field(files).finish(),
            Self::File(tree, file) => f.debug_tuple("File").field(tree).field(file).finish(),
        }
    }
}

/// Nothing renders charts below kustomize on this system.
#[cfg(not(unix))]
pub fn check_chart(_: &Path) -> Result<(), String> {
    Ok(())
}

/// The names that the file of a kustomization can have, in the order in which Argo CD looks for them (`util/kustomize/kustomize.go`).
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Where the manifests of a chart are from.
pub const HELM_TEMPLATE: Origin = Origin::Rendered("helm template");

/// A tool that renders manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// `kustomize build`.
    Kustomize,
    /// `helm template`.
    Helm,
}

impl Renderer {
    /// The kind of source that it renders.
    pub fn source(self) -> SourceKind {
        match self {
            Self::Kustomize => SourceKind::Kustomize,
            Self::Helm => SourceKind::Helm,
        }
    }
}

/// The manifests of a directory.
fn read_directory(
    tree: &mut dyn SourceTree,
    settings: &ApplicationSettings,
    only: Option<&[PathBuf]>,
) -> Result<Vec<Manifest>, Error> {
    // Without `..`: a new setting of the Application does not compile until it is decided here.
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
        // `only` is about this folder: Argo CD reads all files of the folders below.
        entries.retain(|entry| !entry.is_at_top() || only.contains(&*entry.path));
    }
    let glob = |pattern: &Option<String>| pattern.as_deref().filter(|pattern| !pattern.is_empty()).map(Glob::new);
    // Argo CD leaves out none; with the plugin, `directory` is for folders in which Argo CD would run kustomize.
    let without_kustomizations = *source == SourceKind::Directory && !is_native;
    let selection = Selection { include: glob(include), exclude: glob(exclude), without_kustomizations };
    directory::read(tree, entries, &selection)
}

/// The tool that renders a source of this kind, and the file that decides it, when nobody has named the kind.
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

/// The root of the repository that `dir` is in, without symlinks: what links may not leave.
pub fn repository_root(dir: &Path) -> io::Result<PathBuf> {
    repository::root_of(dir, None)
}

fn read_stream(stream: Box<dyn Read>, origin: Origin) -> Result<Manifest, Error> {
    let read = files::read_stream(stream, MAX_TOTAL_BYTES).map_err(|error| match &origin {
        Origin::File(path) => Error::unreadable(path.as_ref(), error),
        _ => Error::UnreadableStream(error),
    })?;
    let Some(mut bytes) = read else { return Err(Error::TooLarge(origin)) };
    // What grows while it is read has room for twice as much.
    bytes.shrink_to_fit();
    match encoding::decode(bytes, Utf16::Refuse) {
        Ok(text) => Ok(Manifest::new(origin, text, Reader::Stream)),
        Err(failure) => Err(Error::Undecodable { place: Place::new(origin, failure.at), why: failure.why }),
    }
}

/// What Argo CD would take the directory for, and the file that decides it, as `util/app/discovery` does: among the files at the
/// top, the last one by name decides; a name that only ends in `Chart.yaml` counts too.
///
/// `names` are those of the files in the directory, sorted by their bytes.
pub fn detect<'n>(names: impl DoubleEndedIterator<Item = &'n str>) -> (Option<Renderer>, Option<String>) {
    names.rev().find_map(|name| Some((Some(renderer_of(name)?), Some(name.to_owned())))).unwrap_or_default()
}

/// The tool that renders a directory because it has a file of this name.
fn renderer_of(name: &str) -> Option<Renderer> {
    match name {
        name if KUSTOMIZATIONS.contains(&name) => Some(Renderer::Kustomize),
        name if name.ends_with("Chart.yaml") => Some(Renderer::Helm),
        _ => None,
    }
}

/// The path without `.`, and without `..` where possible. Follows no symlinks.
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        let is_name = clean.components().next_back().is_some_and(|last| matches!(last, Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if is_name => {
                clean.pop();
            }
            Component::ParentDir if clean.has_root() => {}
            other => clean.push(other),
        }
    }
    clean
}
