//! The directory in which the tools work: the source directory itself as long as they only read, otherwise a copy of
//! its repository.
//!
//! A plugin may write into the tree that Argo CD has sent: the tree is for a single request, and is removed after it.
//! Everywhere else the directory belongs to the user, and is never written to.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use checkout::repository::{self, GIT};
use confined::{Deadline, Right};
use system::{PathText, allow_owner, canonical, is_pipe, symlink};
use text::Message;

use crate::tool::copies::Lease;
use crate::tool::error::RenderError;
use crate::tool::opened::Opened;
use crate::tool::walk::Walk;

/// The folder in which Argo CD's cmp-server stores the trees of requests (`cmpserver/plugin/plugin.go`).
const REQUESTS: &str = "_cmp_server";

/// A source directory in its repository.
pub struct WorkTree {
    /// The source directory in which the tools work: an absolute path without symlinks.
    pub(crate) dir: PathBuf,
    /// The root of the repository: an absolute path without symlinks.
    pub(crate) root: PathBuf,
    /// The user's source directory, of which `dir` may be a copy.
    pub(crate) original: PathBuf,
    /// The source directory and root from which value files are read: those before copying, because a copy may not
    /// contain all files.
    pub(crate) read_dir: PathBuf,
    pub(crate) read_root: PathBuf,
    /// The paths below `read_root` that the tools may open (`opened.rs`).
    opened: Arc<[PathBuf]>,
    is_of_request: bool,
    /// True when `dir` is in a copy that only this rendering uses.
    is_private: bool,
    /// That copy, if it is of the whole repository (`copies.rs`).
    lease: Option<Lease>,
}

impl WorkTree {
    /// The tree of a source directory. `is_for_argocd` is true when Argo CD has passed the Application's name.
    pub(crate) fn new(dir: PathBuf, root: PathBuf, is_for_argocd: bool) -> Self {
        let is_of_request = is_for_argocd && is_of_a_request(&root);
        let opened = [root.clone()].into();
        let (read_dir, read_root) = (dir.clone(), root.clone());
        let (is_private, lease) = (false, None);
        Self { original: dir.clone(), dir, root, read_dir, read_root, opened, is_of_request, is_private, lease }
    }

    /// Determines the paths that the tools may open. Not needed in a copy, which contains only such paths.
    pub(super) fn look(&mut self, known: &Opened, deadline: Deadline) -> Result<(), RenderError> {
        if self.dir == self.original {
            self.opened = known.of(&self.root, deadline)?;
        }
        Ok(())
    }

    /// Whether a tool may list the source directory and everything in it: it contains no `.git`, at any depth.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_private || self.opened.iter().any(|open| self.dir.starts_with(open))
    }

    /// Whether the repository contains another `.git` than its own, for example of a submodule or of another clone.
    pub(crate) fn has_git_below(&self) -> bool {
        !self.has_only_its_own_git() || !(self.is_whole() || self.root.join(GIT).exists())
    }

    /// Whether the repository has no `.git` except at its root.
    fn has_only_its_own_git(&self) -> bool {
        self.opened.iter().all(|open| *open == self.root || open.parent() == Some(&self.root))
    }

    /// The rules for the paths of the repository, and of a copy of all of it. The private directory, which contains other copies, has its own rule.
    pub(super) fn rules(&self) -> impl Iterator<Item = (Right, PathBuf)> {
        let right = if self.is_of_request && !self.is_private { Right::Write } else { Right::Read };
        let copy = self.lease.iter().map(|lease| (Right::Write, lease.root.clone()));
        self.opened.iter().map(move |open| (right, open.clone())).chain(copy)
    }

    /// A copy of a repository that others read, too: `dir` in the copy with the root `root` stands for the directory
    /// `original`. All paths must be free of symlinks.
    pub fn of_copy(dir: PathBuf, root: PathBuf, original: PathBuf) -> Self {
        Self { original, ..Self::new(dir, root, false) }
    }

    /// Whether the tools work in a copy of the directory alone, because it is not in a repository.
    pub(super) fn is_cut_out(&self) -> bool {
        self.dir == self.root && self.dir != self.original && !self.original.join(GIT).exists()
    }

    /// Whether the directory is not in a repository, so that it counts as a whole one. False in the tree of an Argo
    /// CD request, which is a whole repository even without `.git`.
    pub(crate) fn is_without_repository(&self) -> bool {
        !self.is_of_request && self.read_dir == self.read_root && !self.original.join(GIT).exists()
    }

    /// Whether the tools may write into the tree. Landlock does not allow creating files in a folder with `.git`, or
    /// listing it.
    pub(super) fn is_writable(&self) -> bool {
        self.is_private || (self.is_of_request && self.is_whole() && self.has_only_its_own_git())
    }

    /// Whether the tools work in a copy that only this rendering uses.
    pub(crate) fn is_private(&self) -> bool {
        self.is_private
    }

    /// Copies these parts of the repository to `to`, which must be empty. From then on the tools work there.
    pub(super) fn move_parts(&mut self, to: &Path, parts: &[PathBuf], deadline: Deadline) -> Result<(), RenderError> {
        let mut walk = Walk::new(&self.root, deadline);
        parts.iter().try_for_each(|part| copy_part(part, &self.root, to, &mut walk))?;
        self.move_to(to);
        Ok(())
    }

    /// From now on the tools work in a copy of the whole repository.
    pub(super) fn move_into(&mut self, lease: Lease) {
        self.move_to(&lease.root.clone());
        self.lease = Some(lease);
    }

    fn move_to(&mut self, to: &Path) {
        self.is_private = true;
        let below = self.dir.strip_prefix(&self.root).map(Path::to_owned).unwrap_or_default();
        self.dir = to.join(below);
        self.root = to.to_owned();
    }

    /// Fails when there is a named pipe below `dir`, or a symlink that leads out of the repository: helm follows
    /// links, so the content of their targets could get into the manifests. Argo CD refuses such links in the whole
    /// repository (`CheckOutOfBoundsSymlinks` in `util/app/path/path.go`).
    pub(crate) fn check_links(&self, deadline: Deadline) -> Result<(), RenderError> {
        self.check_links_below(&self.dir, deadline)
    }

    /// Like `check_links`, but for the whole repository in the tree of a request, from which Argo CD has removed such
    /// links unless `--allow-oob-symlinks` is set. A user's checkout also contains files that are not committed, such
    /// as Python environments with their links.
    pub(crate) fn check_all_links(&self, deadline: Deadline) -> Result<(), RenderError> {
        self.check_links_below(if self.is_of_request { &self.root } else { &self.dir }, deadline)
    }

    /// Checks links and pipes below a folder of the repository, and below the folders to which symlinks in it lead.
    pub(crate) fn check_links_below(&self, top: &Path, deadline: Deadline) -> Result<(), RenderError> {
        let mut walk = Walk::new(&self.root, deadline);
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            walk.visit(&folder, |entry| {
                let path = entry.path();
                if entry.path_is_symlink() {
                    folders.extend(self.linked(path)?);
                } else if is_pipe(entry.file_type()) {
                    return Err(RenderError::refused(named_pipe(&self.shown(path))));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The folder of the repository that a symlink leads to; `None` for a link to a file or to nothing, through which
    /// nothing else is read. A link that cannot be followed is refused, because Go follows 255 links, but the system
    /// only 40.
    fn linked(&self, link: &Path) -> Result<Option<PathBuf>, RenderError> {
        let target = match canonical(link) {
            Ok(target) => target,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(RenderError::Unreadable(self.shown(link), error)),
        };
        let kind = fs::symlink_metadata(&target).map_err(|error| RenderError::Unreadable(self.shown(link), error))?;
        if is_pipe(kind.file_type()) {
            return Err(RenderError::refused(named_pipe(&self.shown(link))));
        }
        if !repository::is_in_repository(&target, &self.root) {
            return Err(RenderError::LeavesRepository(self.shown(link)));
        }
        Ok(kind.is_dir().then_some(target))
    }

    /// A path relative to the repository, for a message.
    fn shown(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

/// The message for a named pipe: a tool that opens it waits until another process writes into it.
fn named_pipe(path: &Path) -> Message {
    Message::new(format!("`{}` is a named pipe, not a file", path.shown()))
        .help("remove it: helm and kustomize would wait for it")
}

/// Whether a repository is the tree of a request: `…/_cmp_server/<id>`.
fn is_of_a_request(root: &Path) -> bool {
    root.parent().and_then(Path::file_name).is_some_and(|name| name == REQUESTS)
}

/// Copies the part `part` of the repository `from` to its place in `to`, without `.git`.
pub(super) fn copy(part: &Path, from: &Path, to: &Path, deadline: Deadline) -> Result<(), RenderError> {
    copy_part(part, from, to, &mut Walk::new(from, deadline))
}

fn copy_part(part: &Path, from: &Path, to: &Path, walk: &mut Walk<'_>) -> Result<(), RenderError> {
    let parent = part.parent().filter(|parent| parent.starts_with(from)).unwrap_or(from);
    let above = to.join(parent.strip_prefix(from).unwrap_or(parent));
    fs::create_dir_all(above).map_err(RenderError::PrivateDirectory)?;
    walk.visit(part, |entry| {
        let below = entry.path().strip_prefix(from).unwrap_or(entry.path());
        let copied = copy_entry(below, entry.file_type(), from, to);
        copied.map_err(|error| RenderError::Unreadable(below.to_owned(), error))
    })
}

/// Copies a file or link, or makes a folder, at the path `below` both roots.
pub(super) fn copy_entry(below: &Path, kind: FileType, from: &Path, to: &Path) -> io::Result<()> {
    let (path, target) = (from.join(below), to.join(below));
    if kind.is_dir() {
        fs::create_dir_all(&target)
    } else if kind.is_symlink() {
        copy_link(&path, &target, from, to)
    } else if kind.is_file() {
        fs::copy(&path, &target).and_then(|_| allow_owner(&target))
    } else {
        // No tool reads a socket, a pipe or a device.
        Ok(())
    }
}

/// Copies a symlink so that it leads to the copy of its target: otherwise a tool could write through it into the
/// user's files. A link to nothing or out of the repository is left out.
fn copy_link(link: &Path, target: &Path, from: &Path, to: &Path) -> io::Result<()> {
    let Ok(real) = canonical(link) else { return Ok(()) };
    match real.strip_prefix(from) {
        Ok(below) => symlink(to.join(below), target),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use scratch::Scratch;

    #[test]
    fn what_is_written_into_the_copy_is_written_nowhere_else() {
        let scratch = Scratch::with(&["repo/.git/HEAD", "repo/app/a", "repo/b", "outside"]);
        let dir = canonical(&scratch.0).unwrap();
        let root = dir.join("repo");
        let scratch = scratch
            .link("repo/app/absolute", root.join("b"))
            .link("repo/app/relative", "../b")
            .link("repo/app/climbing", PathBuf::from("../".repeat(40)).join(root.strip_prefix("/").unwrap()).join("b"))
            .link("repo/app/out", dir.join("outside"));
        let to = dir.join("copy");
        copy(&root, &root, &to, Deadline::after(Duration::from_secs(60))).unwrap();
        for name in ["absolute", "climbing", "relative", "a"] {
            fs::write(to.join("app").join(name), name).unwrap();
        }
        assert_eq!(fs::read_to_string(root.join("b")).unwrap(), "repo/b");
        assert_eq!(fs::read_to_string(root.join("app/a")).unwrap(), "repo/app/a");
        assert_eq!(fs::read_to_string(to.join("b")).unwrap(), "relative");
        assert!(!to.join(".git").exists() && fs::symlink_metadata(to.join("app/out")).is_err());
        drop(scratch);
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_refused_before_a_tool_waits_for_it() {
        for (scratch, pipe) in [
            (Scratch::new().pipe("kustomization.yaml"), Some("kustomization.yaml")),
            (Scratch::with(&["base/a"]).pipe("base/b"), Some("base/b")),
            (Scratch::with(&["app/.git/HEAD"]).pipe("app/.git/b").link("a.yaml", "app/.git/b"), Some("a.yaml")),
            (Scratch::with(&["a"]).socket("b").link("c", "nowhere"), None),
        ] {
            let dir = canonical(&scratch.0).unwrap();
            let told = WorkTree::new(dir.clone(), dir.clone(), false)
                .check_links(Deadline::after(Duration::from_secs(60)))
                .err();
            let told = told.map(|error| error.message(&dir).to_string());
            let said = pipe.map(|pipe| format!("`{pipe}` is a named pipe, not a file"));
            assert_eq!(told.is_some(), said.is_some());
            assert!(told.unwrap_or_default().contains(&said.unwrap_or_default()), "{pipe:?}");
        }
    }

    #[test]
    fn a_link_to_a_folder_beside_the_chart_is_looked_into() {
        let scratch = Scratch::with(&["repo/.git/HEAD", "repo/app/a", "repo/lib/b", "repo/other/c", "outside"]);
        let root = canonical(&scratch.0).unwrap().join("repo");
        let told = || {
            let checked = WorkTree::new(root.join("app"), root.clone(), false)
                .check_links(Deadline::after(Duration::from_secs(60)));
            checked.map_err(|error| error.to_string().lines().next().unwrap().to_owned())
        };
        let scratch = scratch.link("repo/other/out", "../../outside");
        assert_eq!(told(), Ok(()));
        let scratch =
            scratch.link("repo/app/lib", "../lib").link("repo/app/again", "lib").link("repo/lib/back", "../app");
        assert_eq!(told(), Ok(()));
        let scratch = scratch.link("repo/lib/out", "../../outside");
        assert_eq!(told(), Err("the symlink `lib/out` leads out of the repository".to_owned()));
        drop(scratch);
    }
}
