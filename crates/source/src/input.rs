//! The inputs that a source can be opened from, and the meaning of `--base`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::Tools;
use checkout::repository::in_working_dir;

use super::revision::{Counterpart, Revision};
use super::vfs::DirectoryName;
use super::{Error, Revisions, Surroundings};

/// Where manifests are read from.
pub enum Input {
    /// A stream of manifests, such as standard input. It is read when its manifests are requested.
    Stream(Box<dyn Read>),
    /// An Application's source directory.
    Directory(PathBuf),
    /// A single file, read as Argo CD reads a file of a directory; with another extension than `.yaml`, `.yml` and
    /// `.json`, as a stream of YAML. No config file is read. A pipe is a stream, too.
    File(PathBuf),
    /// An Application's source directory, or a single file, at a revision of its git repository. Line endings and
    /// other filters of `.gitattributes` are not applied. If the revision does not contain the directory or file, it
    /// has no manifests.
    Revision {
        /// The directory or file on disk. It determines the repository, and the path in it.
        dir: PathBuf,
        /// A commit, in any form that git accepts.
        revision: String,
    },
    /// The files of an Application's source directory, by their paths relative to the directory.
    Files(BTreeMap<PathBuf, Vec<u8>>),
}

impl Input {
    /// The directory or file at `path` on disk; a directory when nothing exists there.
    pub fn on_disk(path: PathBuf) -> Self {
        let is_other = fs::metadata(&path).is_ok_and(|found| !found.is_dir());
        if is_other { Self::File(path) } else { Self::Directory(path) }
    }
}

/// The prefix for a revision whose name is also that of a directory or file. No revision begins with it, because git
/// allows no colon in the name of a branch or tag.
pub const FORCED_REVISION: &str = "rev:";

/// Resolves `--base`: `named` is an existing directory or file, or otherwise a revision of `path`. `path` is the
/// compared directory or file; `None` for standard input, which has no revisions. `rev:main` is always the revision
/// `main`, and `./main` always a directory or file.
///
/// A name that is both is an error, as for git: a pull request could add a directory with the name of the base
/// branch. The `git` in `tools` decides whether the revision exists; without git or a repository there are no
/// revisions.
pub fn base(named: &str, path: Option<&Path>, tools: &Tools, revisions: &Arc<Revisions>) -> Result<Input, Error> {
    let revision = |revision: &str| match path {
        Some(path) => Ok(Input::Revision { dir: path.to_owned(), revision: revision.to_owned() }),
        None => Err(Error::RevisionOfAStream(revision.to_owned())),
    };
    if let Some(forced) = named.strip_prefix(FORCED_REVISION) {
        return revision(forced);
    }
    let found = fs::metadata(named);
    if found.is_err() {
        return revision(named);
    }
    // No revision begins like this.
    let is_path = named.starts_with('.') || Path::new(named).is_absolute();
    let is_revision = |path: &Path| {
        let dir = if path.is_dir() { Some(path) } else { path.parent().map(in_working_dir) };
        let name = dir.map(|dir| DirectoryName::new(dir.to_owned(), None));
        let (tools, revisions) = (tools.clone(), Arc::clone(revisions));
        let surroundings = Surroundings { tools, revisions, ..Surroundings::default() };
        name.is_some_and(|name| Revision::open(name, named.to_owned(), &surroundings).is_ok())
    };
    if !is_path && path.is_some_and(is_revision) {
        return Err(Error::PathAndRevision(named.to_owned()));
    }
    Ok(Input::on_disk(PathBuf::from(named)))
}

/// Writes a whole revision to disk, and returns the path of `dir` in this copy; `None` if the revision does not
/// contain the directory.
pub fn copy_of_revision(dir: &Path, revision: &str, surroundings: &Surroundings) -> Result<Option<Counterpart>, Error> {
    Revision::open(DirectoryName::new(dir.to_owned(), None), revision.to_owned(), surroundings)?.copied()
}

/// The id of a commit before `revision` in which the directory was what it is in `HEAD`, but not in `revision`; `None` if there is none, or it
/// cannot be found.
pub fn goes_back_to(dir: &Path, revision: &str, surroundings: &Surroundings) -> Option<String> {
    let name = DirectoryName::new(dir.to_owned(), None);
    Revision::open(name, revision.to_owned(), surroundings).ok()?.earlier_like_head()
}

impl DirectoryName {
    /// The directory of a file, and the file's path in it. `shown_as` is the path of the file in messages.
    pub(super) fn of_file(file: &Path, shown_as: Option<&Path>) -> Result<(Self, PathBuf), Error> {
        match (file.parent(), file.file_name()) {
            (Some(parent), Some(name)) => {
                let shown_as = shown_as.map(|shown| shown.parent().unwrap_or(shown));
                Ok((Self::new(in_working_dir(parent).to_owned(), shown_as), PathBuf::from(name)))
            }
            _ => Err(Error::NoSuchPath(file.to_owned())),
        }
    }
}

/// Whether the path can be read only once, such as the pipe of a shell's `<(...)`.
pub(super) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A pipe that is opened at the first read, because opening waits for its writer.
pub(super) struct Pipe {
    path: PathBuf,
    opened: Option<File>,
}

impl Pipe {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, opened: None }
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.opened {
            Some(opened) => opened.read(buffer),
            None => self.opened.insert(File::open(&self.path)?).read(buffer),
        }
    }
}
