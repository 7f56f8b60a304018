//! Where manifests come from: a directory as Argo CD reads it, on disk or as a git revision has it, or standard input.
//!
//! Reads bytes and makes them text; what the text means is for others to find out. Renders nothing yet: a directory that Argo
//! CD would hand to Helm or kustomize is refused. Reads no environment; `git.rs` alone starts a process.

mod config_file;
mod directory;
mod disk;
mod encoding;
mod files;
mod git;
mod repository;
mod revision;
#[cfg(test)]
mod tests;
mod tools;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::glob::Glob;
use crate::manifest::{Manifest, Reader};
use crate::settings::{CONFIG_FILE, MAX_CONFIG_FILE};
pub use crate::settings::{Recurse, SourceKind};
use crate::text::{Origin, Place, visible};
pub use config_file::{config_file, config_file_at, marker};
use directory::Selection;
use disk::Disk;
pub use encoding::Undecodable;
use encoding::Utf16;
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

/// The manifests could not be read.
#[derive(Debug)]
pub enum Error {
    /// There is no such directory.
    NoSuchDirectory(PathBuf),
    /// The source directory is something else.
    NotADirectory(PathBuf),
    /// The system does not let a file or directory be read.
    Unreadable {
        /// The file, relative to the source directory, or the source directory itself.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// A revision cannot be read.
    Revision {
        /// The source directory.
        dir: PathBuf,
        /// Why not.
        why: NoRevision,
    },
    /// The other version can be a directory or a revision: there are both of this name.
    DirectoryAndRevision(String),
    /// A symlink leads out of the repository.
    LeavesRepository(PathBuf),
    /// A Jsonnet file, which Argo CD would evaluate.
    Jsonnet(PathBuf),
    /// With this one the manifests are larger than [`MAX_TOTAL_BYTES`].
    TooLarge(Origin),
    /// The config file is larger than [`MAX_CONFIG_FILE`].
    ConfigFileTooLarge(Origin),
    /// The config file has a name by which it is not read.
    MisnamedConfigFile(PathBuf),
    /// The text cannot be decoded.
    Undecodable {
        /// Where the first bad bytes are.
        place: Place,
        /// What is wrong with them.
        why: Undecodable,
    },
    /// The directory is to be rendered first.
    NeedsRenderer {
        /// The source directory.
        dir: PathBuf,
        /// By what.
        renderer: Renderer,
        /// The file that makes Argo CD think so; none when the user named the source.
        found: Option<String>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchDirectory(dir) => {
                write!(
                    f,
                    "{}: no such directory\nhelp: give the directory with the manifests, or `-` for standard input",
                    dir.display()
                )
            }
            Self::NotADirectory(path) => write!(
                f,
                "{0}: not a directory\nhelp: give the directory it is in, or read the file alone, with `- < {0}` in its place",
                path.display()
            ),
            Self::Unreadable { path, error } => write!(f, "{}: cannot be read: {error}", path.display()),
            Self::Revision { dir, why } => write!(f, "{}: {why}", dir.display()),
            Self::DirectoryAndRevision(named) => write!(
                f,
                "`{0}` is both a directory and a git revision\nhelp: write `rev:{0}` for the revision, or `./{0}` for the directory",
                visible(named)
            ),
            Self::LeavesRepository(path) => write!(
                f,
                "{}: this symlink leads out of the repository\nhelp: put a copy of the file in its place",
                path.display()
            ),
            Self::Jsonnet(path) => write!(
                f,
                "{}: Jsonnet is not evaluated\nhelp: commit the YAML it makes, and leave it out with `exclude: '*.jsonnet'` (`--exclude '*.jsonnet'`)",
                path.display()
            ),
            Self::TooLarge(origin) => write!(
                f,
                "{origin}: with this one the manifests are larger than {} MiB\nhelp: leave out what is no manifest with `exclude` (`--exclude`)",
                MAX_TOTAL_BYTES >> 20
            ),
            Self::ConfigFileTooLarge(origin) => {
                write!(f, "{origin}: the config file is larger than {} KiB", MAX_CONFIG_FILE >> 10)
            }
            Self::MisnamedConfigFile(path) => {
                write!(f, "{}: the config file has another name\nhelp: rename it to `{CONFIG_FILE}`", path.display())
            }
            Self::Undecodable { place, why } => write!(f, "{place}: {why}"),
            Self::NeedsRenderer { dir, renderer, found } => needs_renderer(f, dir, *renderer, found.as_deref()),
        }
    }
}

fn needs_renderer(f: &mut fmt::Formatter<'_>, dir: &Path, renderer: Renderer, found: Option<&str>) -> fmt::Result {
    let (tool, source, command) = match renderer {
        Renderer::Kustomize => ("kustomize", "kustomize", "kustomize build"),
        Renderer::Helm => ("Helm", "helm", "helm template"),
    };
    write!(f, "{}: ", dir.display())?;
    match found {
        Some(found) => write!(f, "Argo CD would run {tool} here because of `{found}`, and this is not supported yet")?,
        None => write!(f, "the source `{source}` is not supported yet")?,
    }
    write!(
        f,
        "\nhelp: render first, `{command} {} | argocd-jobs generate -` (`preview` and `check` take `-` too), or read the files as they are with `source: directory` (`--source directory`)",
        dir.display()
    )
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(byte) => write!(f, "byte `0x{byte:02x}` is not UTF-8 here")?,
            Self::Utf16 => f.write_str("the text is UTF-16, expected UTF-8")?,
            Self::LoneSurrogate(unit) => {
                write!(f, "`0x{unit:04x}` is half of a UTF-16 character, the other half is missing")?
            }
            Self::HalfCharacter => f.write_str("the UTF-16 text ends in the middle of a character")?,
        }
        f.write_str("\nhelp: save the text as UTF-8, for example with `iconv -f ")?;
        match self {
            Self::NotUtf8(_) => f.write_str("latin1 -t utf-8`"),
            _ => f.write_str("utf-16 -t utf-8`"),
        }
    }
}

/// Without a source: the message has the system's words already, and would tell them twice.
impl std::error::Error for Error {}

impl Error {
    /// The same about a path from where the user stands, when it is one in the directory `dir`, which is called `prefix`.
    pub fn below(mut self, dir: &Path, prefix: &Path) -> Self {
        let path = match &mut self {
            Self::Unreadable { path, .. }
            | Self::LeavesRepository(path)
            | Self::Jsonnet(path)
            | Self::MisnamedConfigFile(path)
            | Self::TooLarge(Origin::File(path))
            | Self::ConfigFileTooLarge(Origin::File(path))
            | Self::Undecodable { place: Place { origin: Origin::File(path), .. }, .. } => path,
            _ => return self,
        };
        if path != dir {
            *path = prefix.join(&path);
        }
        self
    }
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
