//! What a source is opened from, and what `--base` means.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::repository::in_working_dir;
use super::revision::{Counterpart, Revision};
use super::vfs::DirectoryName;
use super::{Error, Rendering, Revisions, Surroundings, Tools};

/// Where the manifests are.
pub enum Input {
    /// A stream of manifests, such as standard input. It is read when its manifests are asked for.
    Stream(Box<dyn Read>),
    /// An Application's source directory.
    Directory(PathBuf),
    /// One file, read as Argo CD reads a file of a directory; with another extension than `.yaml`, `.yml` and `.json`, as a stream of
    /// YAML. No config file is read. A pipe is a stream too.
    File(PathBuf),
    /// An Application's source directory, or one file, as it is in a revision of its git repository. Line ends and other filters of
    /// `.gitattributes` are not applied. When the revision has no such directory or file, there are no manifests.
    Revision {
        /// The directory or file on disk, which has to exist: it says which repository, and where in it.
        dir: PathBuf,
        /// A commit, in any way that git can name one.
        revision: String,
    },
    /// The files of an Application's source directory, by their paths relative to it.
    Files(BTreeMap<PathBuf, Vec<u8>>),
}

impl Input {
    /// The directory or the file that is on disk at `path`; a directory when there is nothing.
    pub fn on_disk(path: PathBuf) -> Self {
        let is_other = fs::metadata(&path).is_ok_and(|found| !found.is_dir());
        if is_other { Self::File(path) } else { Self::Directory(path) }
    }
}

/// The prefix of a revision that has the name of a directory or file too. No revision begins with it, because git allows no colon in the
/// name of a branch or tag.
pub const FORCED_REVISION: &str = "rev:";

/// Resolves `--base`: `named` is an existing directory or file, or otherwise a revision of `path`, the directory or file that is compared;
/// none for standard input, which has no revisions. `rev:main` is always the revision `main`, and `./main` always a directory or file.
///
/// The name of both is an error, as it is for git: a pull request could add a directory with the name of the branch that it is compared
/// with. The `git` among `tools` is asked whether there is such a revision; without git or a repository there is none.
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
    // The name of a revision begins with neither.
    let is_path = named.starts_with('.') || Path::new(named).is_absolute();
    let is_revision = |path: &Path| {
        let dir = if path.is_dir() { Some(path) } else { path.parent().map(in_working_dir) };
        let name = dir.map(|dir| DirectoryName::new(dir.to_owned(), None));
        let rendering = Rendering { revisions: Arc::clone(revisions), ..Rendering::default() };
        let surroundings = Surroundings { tools: tools.clone(), rendering, ..Surroundings::default() };
        name.is_some_and(|name| Revision::open(name, named.to_owned(), &surroundings).is_ok())
    };
    if !is_path && path.is_some_and(is_revision) {
        return Err(Error::PathAndRevision(named.to_owned()));
    }
    Ok(Input::on_disk(PathBuf::from(named)))
}

/// Writes all of a revision to disk, and returns the path of `dir` in this copy; none if the revision does not have the directory.
pub fn copy_of_revision(dir: &Path, revision: &str, surroundings: &Surroundings) -> Result<Option<Counterpart>, Error> {
    Revision::open(DirectoryName::new(dir.to_owned(), None), revision.to_owned(), surroundings)?.copied()
}

impl DirectoryName {
    /// The directory of a file, with its name, and the file's path in it. `shown_as` is what the file is called.
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

/// True for what can be read but once, such as the pipe of a shell's `<(...)`.
pub(super) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A pipe that is opened at the first read: opening waits for its writer.
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
