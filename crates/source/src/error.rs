//! Why manifests cannot be read.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use checkout::{LFS_HELP, ONLY_A_POINTER, Undecodable};
use render::{Lack, NotRendered, RenderError, Renderer};
use rewrite::settings::{CONFIG_FILE, MAX_CONFIG_FILE};
use system::{NO_TOOLS, PathText};
use text::{Message, Origin, Place};

use super::git::{NoRevision, PARTIAL_CLONE};
use super::{MAX_FILES, MAX_PATHS, MAX_TOTAL_BYTES};

/// Why the manifests of a source could not be read.
#[derive(Debug)]
pub enum Error {
    /// There is no such directory or file.
    NoSuchPath(PathBuf),
    /// The path of the source directory is not a directory.
    NotADirectory(PathBuf),
    /// The operating system does not allow reading a file or directory.
    Unreadable {
        /// The path of the file, or of the source directory itself.
        path: PathBuf,
        /// The reason.
        error: ReadError,
    },
    /// Reading the stream of manifests failed.
    UnreadableStream(io::Error),
    /// The revision cannot be read.
    Revision {
        /// The source directory.
        dir: PathBuf,
        /// The reason.
        why: NoRevision,
    },
    /// The value of `--base` is both a path and a revision.
    PathAndRevision(String),
    /// The value of `--base` is this directory, which is the other version of a part of the checkout; something else of it is looked for.
    NotACheckout(String),
    /// The value of `--base` is this revision, but the manifests come from standard input, which has no revisions.
    RevisionOfAStream(String),
    /// The user named a single file that is not a manifest.
    NoManifest {
        /// The path of the file.
        path: PathBuf,
        /// The kind of the file, in words.
        what: &'static str,
        /// The `help:` line.
        help: &'static str,
    },
    /// A symlink leads out of the repository.
    LeavesRepository(PathBuf),
    /// This file is Jsonnet, which Argo CD would evaluate.
    Jsonnet(PathBuf),
    /// With this file, the manifests are larger than [`MAX_TOTAL_BYTES`].
    TooLarge(Origin),
    /// The directory has more files than [`MAX_FILES`], or their paths are longer than [`MAX_PATHS`].
    TooManyFiles(PathBuf),
    /// The config file is larger than [`MAX_CONFIG_FILE`].
    ConfigFileTooLarge(Origin),
    /// This file looks like a config file with a wrong name.
    MisnamedConfigFile(PathBuf),
    /// The text of a manifest cannot be decoded.
    Undecodable {
        /// The place of the first bad bytes.
        place: Place,
        /// What is wrong with these bytes.
        why: Undecodable,
    },
    /// Rendering the directory failed.
    Render {
        /// The source directory.
        dir: PathBuf,
        /// The reason.
        error: Box<RenderError>,
    },
    /// The directory has to be rendered, but no tool can be started here.
    NeedsRenderer {
        /// The source directory.
        dir: PathBuf,
        /// The tool that would render it.
        renderer: Renderer,
        /// The file that makes Argo CD use this tool; `None` when the user chose the kind of source.
        found: Option<String>,
    },
}

/// Why an existing file cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The operating system returns this error.
    Io(io::Error),
    /// The clone does not contain the content of the file.
    PartialClone,
    /// Git LFS keeps it elsewhere.
    Pointer,
}

impl ReadError {
    fn message(&self) -> Message {
        match self {
            Self::Io(error) => Message::new(format!("cannot be read: {error}")),
            Self::PartialClone => Message::new("cannot be read: this clone does not have it").help(PARTIAL_CLONE),
            Self::Pointer => Message::new(format!("cannot be read: {ONLY_A_POINTER}")).help(LFS_HELP),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Error {
    /// Whether a program is missing, so that the error says nothing about the manifests.
    pub fn is_about_the_machine(&self) -> bool {
        match self {
            Self::Revision { why, .. } => matches!(why, NoRevision::NoGit | NoRevision::NotStarted(_)),
            Self::Render { error, .. } => matches!(
                **error,
                RenderError::NoProgram { .. } | RenderError::OnlyKubectl(_) | RenderError::NotStarted { .. }
            ),
            _ => false,
        }
    }

    /// Whether there is a text that this program does not read, although Argo CD may be able to.
    pub fn is_unread(&self) -> bool {
        matches!(
            self,
            Self::TooLarge(_)
                | Self::TooManyFiles(_)
                | Self::Undecodable { .. }
                | Self::Unreadable { error: ReadError::Io(_), .. }
        )
    }

    /// Whether Argo CD may be able to render a source that failed here: because a program or the network is missing,
    /// time or memory ran out, or information is missing that only the cluster or the settings of Argo CD have. Also
    /// true for a chart without its Application, which may have the values.
    pub fn may_work_in_argocd(&self, is_of_an_application: bool) -> bool {
        match self {
            Self::Render { error, .. } => self.is_about_the_machine() || error.may_work_in_argocd(is_of_an_application),
            Self::NeedsRenderer { .. } => true,
            Self::Unreadable { error, .. } => matches!(error, ReadError::PartialClone | ReadError::Pointer),
            _ => self.is_about_the_machine() || self.is_unread(),
        }
    }

    /// What the source lacks here; none if the message alone says it.
    pub fn lack(&self) -> Option<Lack> {
        match self {
            Self::Render { error, .. } => error.lack(),
            _ => None,
        }
    }

    /// The help for any source in the place of this one, if it names the directory.
    pub fn help_for_any(&self) -> Option<String> {
        match self {
            Self::Render { error, .. } => error.message(Path::new("DIR")).help,
            _ => None,
        }
    }

    /// Whether the value of `--base` is wrong for every source: the name is wrong, or there is a problem with `git`
    /// or its repository.
    pub fn is_about_the_base(&self) -> bool {
        use NoRevision::{Another, NoGit, NoRepository, NotStarted, Refused, Unknown};
        match self {
            Self::PathAndRevision(_) | Self::NotACheckout(_) => true,
            Self::Revision { why, .. } => {
                matches!(why, NoGit | NotStarted(_) | NoRepository | Refused { .. } | Another { .. } | Unknown(_))
            }
            _ => false,
        }
    }

    /// The error that reading `path` failed.
    pub(super) fn unreadable(path: impl Into<PathBuf>, error: impl Into<ReadError>) -> Self {
        Self::Unreadable { path: path.into(), error: error.into() }
    }

    /// The error that the directory `dir` could not be rendered.
    pub(super) fn not_rendered(dir: &Path, error: NotRendered) -> Self {
        match error {
            NotRendered::Unreadable(error) => Self::unreadable(dir, error),
            NotRendered::Tool(error) => Self::Render { dir: dir.to_owned(), error },
            NotRendered::Undecodable { place, why } => Self::Undecodable { place, why },
        }
    }

    /// The message, with its `help:` line.
    pub fn message(&self) -> Message {
        match self {
            Self::NoSuchPath(path) => {
                let help = if path.in_slashes().contains(['*', '?', '[']) {
                    "the shell expands a glob only outside of quotes, and only if a file matches"
                } else {
                    "pass a directory or a file with manifests, or `-` for standard input"
                };
                Message::new("no such file or directory").help(help).about(path.shown())
            }
            Self::NotADirectory(path) => {
                Message::new("not a directory").about(path.shown()).help("pass the directory that contains it")
            }
            Self::Unreadable { path, error } => error.message().about(path.shown()),
            Self::UnreadableStream(error) => Message::new(format!("cannot read standard input: {error}")),
            Self::Revision { dir, why } => why.message_about(dir),
            Self::PathAndRevision(named) => {
                Message::new(format!("`{named}` is both a path and a Git revision"))
                    .help(format!("write `rev:{named}` for the revision, or `./{named}` for the path"))
            }
            Self::NotACheckout(named) => {
                Message::new(format!("`--base`: `{named}` is not another checkout, in which Applications could be looked for"))
                    .help("pass the top of another checkout, or the same path in it")
            }
            Self::RevisionOfAStream(named) => {
                Message::new(format!("`{named}` is not a file or directory, and standard input has no Git revisions"))
                    .help("render both versions to files and compare those: `new.yaml --base old.yaml`; or pass the directory instead of `-`")
            }
            Self::NoManifest { path, what, help } => {
                Message::new(format!("this is {what}, not a manifest")).about(path.shown()).help(*help)
            }
            Self::LeavesRepository(path) => Message::new("this symlink leads out of the repository")
                .help("put a copy of the file in its place")
                .about(path.shown()),
            Self::Jsonnet(path) => Message::new("Jsonnet is not evaluated").about(path.shown()).help(
                "commit the YAML that it produces, and exclude it with `exclude: '*.jsonnet'` (`--exclude '*.jsonnet'`)",
            ),
            Self::TooLarge(origin) => {
                let most = MAX_TOTAL_BYTES >> 20;
                Message::new(format!("with this file the manifests are larger than {most} MiB"))
                    .help("leave out files that are not manifests with `exclude` (`--exclude`)")
                    .about(origin)
            }
            Self::TooManyFiles(dir) => {
                let (thousand, mebibytes) = (MAX_FILES / 1_000, MAX_PATHS >> 20);
                let text = format!("more than {thousand},000 files of manifests, or more than {mebibytes} MiB of their paths");
                Message::new(text).about(dir.shown()).help("split the directory: each part can be an Application")
            }
            Self::ConfigFileTooLarge(origin) => {
                Message::new(format!("the config file is larger than {} KiB", MAX_CONFIG_FILE >> 10)).about(origin)
            }
            Self::MisnamedConfigFile(path) => Message::new("the config file is not read under this name")
                .help(format!("rename it to `{CONFIG_FILE}`"))
                .about(path.shown()),
            Self::Undecodable { place, why } => why.message().about(place),
                    Self::Render { dir, error } => error.message(dir).about(dir.shown()),
            Self::NeedsRenderer { dir, renderer, found } => needs_renderer(dir, *renderer, found.as_deref()),
        }
    }
}

/// No tool can be started for files in memory, and when this program does not know its own path.
fn needs_renderer(dir: &Path, renderer: Renderer, found: Option<&str>) -> Message {
    let (tool, source, command) = match renderer {
        Renderer::Kustomize => ("kustomize", "kustomize", "kustomize build"),
        Renderer::Helm => ("Helm", "helm", "helm template"),
    };
    let why =
        NO_TOOLS.map_or_else(|| "no tool can be started here".to_owned(), |why| format!("it is not started: {why}"));
    let text = match found {
        Some(found) => format!("Argo CD would run {tool} here because of `{found}`, but {why}"),
        None => format!("the source type `{source}` needs {tool}, but {why}"),
    };
    let elsewhere = if NO_TOOLS.is_some() { "run argocd-jobs in WSL, or " } else { "" };
    Message::new(text).about(dir.shown()).help(format!(
        "{elsewhere}render first, with `{command} {}`, and pass the output on standard input with `-`",
        dir.shown()
    ))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// There is no `source`, because the message already contains the operating system's error.
impl std::error::Error for Error {}
