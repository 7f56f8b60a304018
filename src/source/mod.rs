//! Where manifests come from: a directory as Argo CD reads it, on disk or as a git revision has it, or standard input.
//!
//! Reads bytes and makes them text; what the text means is for others to find out. Renders nothing yet: a directory that Argo
//! CD would hand to Helm or kustomize is refused. Reads no environment; `git.rs` alone starts a process.

mod config_file;
mod directory;
mod disk;
mod encoding;
mod error;
mod files;
mod git;
mod repository;
mod revision;
#[cfg(test)]
mod tests;
mod tools;

use std::io;
use std::path::{Path, PathBuf};

use crate::argocd::Glob;
use crate::manifest::{Manifest, Reader};
use crate::settings::{Recurse, SourceKind};
use crate::text::{Origin, Place};
pub use config_file::{config_file, config_file_at, marker};
use directory::Selection;
use disk::Disk;
pub use encoding::Undecodable;
use encoding::Utf16;
pub use error::{Error, ReadError};
use files::{Entry, Files};
pub use git::NoRevision;
pub use repository::is_in_repository;
use revision::Revision;
pub use tools::Tools;

/// How large all manifests may be together: far more than Argo CD accepts from a plugin (100 MB), and an end to files that
/// never end.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// What to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The manifests' place.
    pub input: Input,
    /// How a directory is read; standard input is always a stream of manifests.
    pub source: SourceKind,
    /// Whether the directories below are read too.
    pub recurse: Recurse,
    /// Glob of the paths to read; none or empty means all.
    pub include: Option<String>,
    /// Glob of the paths to leave out, stronger than `include`; none or empty means none.
    pub exclude: Option<String>,
    /// The Application's path in its repository (`ARGOCD_APP_SOURCE_PATH`), to find the root that symlinks may not leave.
    pub source_path: Option<String>,
    /// The programs to read it with: for a revision that is `git`.
    pub tools: Tools,
}

/// Where the manifests are.
#[derive(Clone, Debug)]
pub enum Input {
    /// What came in on standard input.
    StandardInput(Vec<u8>),
    /// An Application's source directory.
    Directory(PathBuf),
    /// An Application's source directory as a revision of its git repository has it. Line ends and other filters of
    /// `.gitattributes` are not applied. When the revision has no such directory, there are no manifests.
    Revision {
        /// The directory as it is now, which has to exist: it says which repository, and where in it.
        dir: PathBuf,
        /// A commit in any way that git can name one.
        revision: String,
    },
}

/// What stands before a revision that has the name of a directory too. No revision begins with it, because git allows no colon
/// in the name of a branch or tag.
pub const FORCED_REVISION: &str = "rev:";

/// Where the other version of the source directory `dir` is that the user calls `named`: in the directory of that name, or else in the
/// revision. `rev:main` is always the revision `main`, and `./main` always a directory.
///
/// A name of both is an error, as it is for git: a pull request could add a directory with the name of the branch that it is compared with.
/// The `git` among the programs `tools` says whether there is such a revision; without git or a repository there is none.
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
    if !is_path && Revision::open(dir, named, tools).is_ok() {
        return Err(Error::DirectoryAndRevision(named.to_owned()));
    }
    Ok(Input::Directory(PathBuf::from(named)))
}

/// A tool that renders manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// `kustomize build`.
    Kustomize,
    /// `helm template`.
    Helm,
}

/// Reads the manifests, in the order in which Argo CD reads them. A directory without any is no error here.
pub fn read(request: Request) -> Result<Vec<Manifest>, Error> {
    match request.input {
        Input::StandardInput(bytes) => Ok(vec![read_stream(bytes)?]),
        Input::Directory(ref dir) => read_directory(&mut Disk::new(dir, request.source_path.as_deref()), dir, &request),
        Input::Revision { ref dir, ref revision } => {
            read_directory(&mut Revision::open(dir, revision, &request.tools)?, dir, &request)
        }
    }
}

/// The manifests of the directory `dir`, whose files are `files`.
fn read_directory<F: Files>(files: &mut F, dir: &Path, request: &Request) -> Result<Vec<Manifest>, Error> {
    let entries = files.list(request.recurse)?;
    let (renderer, found) = match request.source {
        SourceKind::Directory => (None, None),
        SourceKind::Kustomize => (Some(Renderer::Kustomize), None),
        SourceKind::Helm => (Some(Renderer::Helm), None),
        SourceKind::Auto => detect(&entries),
    };
    if let Some(renderer) = renderer {
        return Err(Error::NeedsRenderer { dir: dir.to_owned(), renderer, found });
    }
    let glob = |pattern: &Option<String>| pattern.as_deref().filter(|pattern| !pattern.is_empty()).map(Glob::new);
    let selection = Selection { include: glob(&request.include), exclude: glob(&request.exclude) };
    directory::read(files, entries, &selection)
}

/// The root of the repository that `dir` is in, without symlinks: what links may not leave.
pub fn repository_root(dir: &Path) -> io::Result<PathBuf> {
    repository::root_of(dir, None)
}

fn read_stream(bytes: Vec<u8>) -> Result<Manifest, Error> {
    let origin = Origin::StandardInput;
    if bytes.len() as u64 > MAX_TOTAL_BYTES {
        return Err(Error::TooLarge(origin));
    }
    match encoding::decode(bytes, Utf16::Refuse) {
        Ok(text) => Ok(Manifest { origin, text, reader: Reader::Stream }),
        Err(failure) => Err(Error::Undecodable { place: Place { origin, at: failure.at }, why: failure.why }),
    }
}

/// What Argo CD would take the directory for, and the file that tells, as `util/app/discovery` does: among the files at the
/// top, the last one by name decides; a name that only ends in `Chart.yaml` counts too.
fn detect<P>(entries: &[Entry<P>]) -> (Option<Renderer>, Option<String>) {
    let at_top = entries.iter().rev().filter(|entry| entry.is_at_top());
    for name in at_top.filter_map(|entry| entry.path.to_str()) {
        let renderer = match name {
            "kustomization.yaml" | "kustomization.yml" | "Kustomization" => Renderer::Kustomize,
            name if name.ends_with("Chart.yaml") => Renderer::Helm,
            _ => continue,
        };
        return (Some(renderer), Some(name.to_owned()));
    }
    (None, None)
}
