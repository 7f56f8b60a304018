//! Where manifests come from: a directory as Argo CD reads it (on disk, in a git revision, or in memory), or standard input.
//!
//! A [`Source`] is opened once and hands out its config file and its manifests. All paths in them, and in errors, are the ones the user
//! knows: the name of the directory is decided when the source is opened.
//!
//! Reads bytes and decodes them; what the text means is the business of other modules. A directory on disk that Argo CD would hand to Helm
//! or kustomize is rendered by these tools; elsewhere it is refused. Reads no environment. Only `git.rs` and `tool/` start processes, and
//! files in memory need no system at all.

mod config_file;
#[cfg(unix)]
mod confined;
mod directory;
mod disk;
mod encoding;
mod error;
mod git;
#[cfg(unix)]
mod helm;
#[cfg(unix)]
mod kustomize;
mod memory;
#[cfg(unix)]
mod render;
mod rendering;
mod repository;
mod revision;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod tool;
mod tools;
mod vfs;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::argocd::Glob;
use crate::manifest::{Manifest, Reader};
use crate::settings::{ApplicationSettings, CONFIG_FILE, ConfigText, Recurse, SourceKind};
use crate::text::{Origin, Place};
use directory::Selection;
use disk::Disk;
pub use encoding::Undecodable;
use encoding::Utf16;
pub use error::{Error, ReadError};
pub use git::NoRevision;
use memory::Memory;
pub use rendering::Rendering;
pub use repository::is_in_repository;
use revision::Revision;
#[cfg(unix)]
pub use tool::RenderError;
pub use tools::Tools;
use vfs::{DirectoryName, Entry, SourceTree};

/// The most bytes that all manifests together may have. Argo CD accepts far less from a plugin (100 MB); this is a limit for files that
/// never end.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// Where the manifests are.
pub enum Input {
    /// A stream of manifests, such as standard input. It is read when its manifests are asked for.
    Stream(Box<dyn Read>),
    /// An Application's source directory.
    Directory(PathBuf),
    /// An Application's source directory as it is in a revision of its git repository. Line ends and other filters of
    /// `.gitattributes` are not applied. When the revision has no such directory, there are no manifests.
    Revision {
        /// The directory on disk, which has to exist: it says which repository, and where in it.
        dir: PathBuf,
        /// A commit, in any way that git can name one.
        revision: String,
    },
    /// The files of an Application's source directory, by their paths relative to it.
    Files(BTreeMap<PathBuf, Vec<u8>>),
}

/// What a source has to know of its surroundings. The default suits files in memory and streams.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// What the paths of the directory's files begin with, in messages and findings. By default this is the directory as it is given,
    /// without `.` and superfluous `..`; for files in memory, nothing.
    pub shown_as: Option<PathBuf>,
    /// The Application's path in its repository (`ARGOCD_APP_SOURCE_PATH`), to find the root that symlinks may not leave.
    pub source_path: Option<String>,
    /// The programs that may be started: for a revision `git`, for a chart `helm`, for a kustomization `kustomize`.
    pub tools: Tools,
    /// What rendering needs.
    pub rendering: Rendering,
}

/// An open source.
#[derive(Debug)]
pub struct Source(Kind);

enum Kind {
    Stream(Box<dyn Read>),
    Disk(Box<Disk>),
    Revision(Revision),
    Memory(Memory),
}

impl Source {
    /// Opens a source. Only a revision is looked at already, by starting git; the other kinds cannot fail before they are read.
    pub fn open(input: Input, surroundings: &Surroundings) -> Result<Self, Error> {
        let name = |dir| DirectoryName::new(dir, surroundings.shown_as.as_deref());
        Ok(Self(match input {
            Input::Stream(stream) => Kind::Stream(stream),
            Input::Directory(dir) => Kind::Disk(Box::new(Disk::new(name(dir), surroundings))),
            Input::Revision { dir, revision } => {
                Kind::Revision(Revision::open(name(dir), revision, &surroundings.tools)?)
            }
            Input::Files(files) => Kind::Memory(Memory::new(name(PathBuf::from(".")), files)),
        }))
    }

    /// A source directory in memory: its files, by their paths relative to it.
    pub fn files<P: Into<PathBuf>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
        Self(Kind::Memory(Memory::new(DirectoryName::new(PathBuf::from("."), None), files)))
    }

    /// A stream of manifests in memory.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Kind::Stream(Box::new(io::Cursor::new(bytes.into()))))
    }

    /// What the paths of the files begin with, in messages and findings; empty when they are relative to the source.
    pub fn shown_as(&self) -> &Path {
        match &self.0 {
            Kind::Stream(_) => Path::new(""),
            Kind::Disk(tree) => tree.name().prefix(),
            Kind::Revision(tree) => tree.name().prefix(),
            Kind::Memory(tree) => tree.name().prefix(),
        }
    }

    /// The config file; `None` when there is none, as in a stream.
    pub fn config_file(&mut self) -> Result<Option<ConfigText>, Error> {
        match &mut self.0 {
            Kind::Stream(_) => Ok(None),
            Kind::Disk(tree) => config_file::read(tree.as_mut()),
            Kind::Revision(tree) => config_file::read(tree),
            Kind::Memory(tree) => config_file::read(tree),
        }
    }

    /// The name of the config file, when there is one: the marker by which an Application is known to want this plugin. Whether it can be
    /// read is not asked.
    pub fn marker(&mut self) -> Option<&'static str> {
        let is_there = match &mut self.0 {
            Kind::Stream(_) => false,
            Kind::Disk(tree) => matches!(tree.find(CONFIG_FILE), Ok(Some(_))),
            Kind::Revision(tree) => matches!(tree.find(CONFIG_FILE), Ok(Some(_))),
            Kind::Memory(tree) => matches!(tree.find(CONFIG_FILE), Ok(Some(_))),
        };
        is_there.then_some(CONFIG_FILE)
    }

    /// The tool that renders the source with these settings; none for a plain directory or a stream.
    pub fn renderer(&mut self, settings: &ApplicationSettings) -> Result<Option<Renderer>, Error> {
        match &mut self.0 {
            Kind::Stream(_) => Ok(None),
            Kind::Disk(tree) => Ok(renderer(settings.source, &tree.list(Recurse::No)?).0),
            Kind::Revision(tree) => Ok(renderer(settings.source, &tree.list(Recurse::No)?).0),
            Kind::Memory(tree) => Ok(renderer(settings.source, &tree.list(Recurse::No)?).0),
        }
    }

    /// Reads the manifests, in the order in which Argo CD reads them. A directory without any is no error here.
    pub fn manifests(self, settings: &ApplicationSettings) -> Result<Vec<Manifest>, Error> {
        match self.0 {
            Kind::Stream(stream) => Ok(vec![read_stream(stream)?]),
            Kind::Disk(mut tree) => read_directory(tree.as_mut(), settings),
            Kind::Revision(mut tree) => read_directory(&mut tree, settings),
            Kind::Memory(mut tree) => read_directory(&mut tree, settings),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(_) => f.write_str("Stream"),
            Self::Disk(tree) => tree.fmt(f),
            Self::Revision(tree) => tree.fmt(f),
            Self::Memory(tree) => tree.fmt(f),
        }
    }
}

/// The prefix of a revision that has the name of a directory too. No revision begins with it, because git allows no colon in the name
/// of a branch or tag.
pub const FORCED_REVISION: &str = "rev:";

/// Looks at a chart that kustomize gives to helm; the message says why helm must not render it.
#[cfg(unix)]
pub fn check_chart(chart: &Path) -> Result<(), String> {
    helm::check_schemas(chart).map_err(|message| message.text)
}

/// Nothing renders charts below kustomize on this system.
#[cfg(not(unix))]
pub fn check_chart(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Resolves `--base`: `named` is an existing directory, or otherwise a revision of the source directory `dir`. `rev:main` is always the
/// revision `main`, and `./main` always a directory.
///
/// The name of both is an error, as it is for git: a pull request could add a directory with the name of the branch that it is compared
/// with. The `git` among `tools` is asked whether there is such a revision; without git or a repository there is none.
pub fn base(named: &str, dir: &Path, tools: &Tools) -> Result<Input, Error> {
    let revision = |revision: &str| Input::Revision { dir: dir.to_owned(), revision: revision.to_owned() };
    if let Some(forced) = named.strip_prefix(FORCED_REVISION) {
        return Ok(revision(forced));
    }
    if !Path::new(named).is_dir() {
        return Ok(revision(named));
    }
    // The name of a revision begins with neither.
    let is_path = named.starts_with('.') || Path::new(named).is_absolute();
    let is_revision = || Revision::open(DirectoryName::new(dir.to_owned(), None), named.to_owned(), tools).is_ok();
    if !is_path && is_revision() {
        return Err(Error::DirectoryAndRevision(named.to_owned()));
    }
    Ok(Input::Directory(PathBuf::from(named)))
}

/// The names that the file of a kustomization can have, in the order in which Argo CD looks for them (`util/kustomize/kustomize.go`).
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

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
fn read_directory<T: SourceTree>(tree: &mut T, settings: &ApplicationSettings) -> Result<Vec<Manifest>, Error> {
    // Without `..`: a new setting of the Application does not compile until it is decided here.
    let ApplicationSettings { source, recurse, include, exclude, helm: _, kustomize: _, platform: _, output: _ } =
        settings;
    let entries = tree.list(*recurse)?;
    let (renderer, found) = renderer(*source, &entries);
    if let Some(renderer) = renderer {
        return Ok(vec![tree.render(renderer, found, settings)?]);
    }
    let glob = |pattern: &Option<String>| pattern.as_deref().filter(|pattern| !pattern.is_empty()).map(Glob::new);
    let without_kustomizations = *source == SourceKind::Directory;
    let selection = Selection { include: glob(include), exclude: glob(exclude), without_kustomizations };
    directory::read(tree, entries, &selection)
}

/// The tool that renders a source of this kind, and the file that decides it, when nobody has named the kind.
fn renderer<P>(source: SourceKind, entries: &[Entry<P>]) -> (Option<Renderer>, Option<String>) {
    match source {
        SourceKind::Directory => (None, None),
        SourceKind::Kustomize => (Some(Renderer::Kustomize), None),
        SourceKind::Helm => (Some(Renderer::Helm), None),
        SourceKind::Auto => detect(entries),
    }
}

/// The root of the repository that `dir` is in, without symlinks: what links may not leave.
pub fn repository_root(dir: &Path) -> io::Result<PathBuf> {
    repository::root_of(dir, None)
}

fn read_stream(stream: Box<dyn Read>) -> Result<Manifest, Error> {
    let origin = Origin::StandardInput;
    let mut bytes = Vec::new();
    stream.take(MAX_TOTAL_BYTES + 1).read_to_end(&mut bytes).map_err(Error::UnreadableStream)?;
    if bytes.len() as u64 > MAX_TOTAL_BYTES {
        return Err(Error::TooLarge(origin));
    }
    match encoding::decode(bytes, Utf16::Refuse) {
        Ok(text) => Ok(Manifest::new(origin, text, Reader::Stream)),
        Err(failure) => Err(Error::Undecodable { place: Place { origin, at: failure.at }, why: failure.why }),
    }
}

/// What Argo CD would take the directory for, and the file that decides it, as `util/app/discovery` does: among the files at the
/// top, the last one by name decides; a name that only ends in `Chart.yaml` counts too.
fn detect<P>(entries: &[Entry<P>]) -> (Option<Renderer>, Option<String>) {
    let at_top = entries.iter().rev().filter(|entry| entry.is_at_top());
    for name in at_top.filter_map(|entry| entry.path.to_str()) {
        let renderer = match name {
            name if KUSTOMIZATIONS.contains(&name) => Renderer::Kustomize,
            name if name.ends_with("Chart.yaml") => Renderer::Helm,
            _ => continue,
        };
        return (Some(renderer), Some(name.to_owned()));
    }
    (None, None)
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
