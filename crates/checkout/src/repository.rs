//! Finds the repository that contains a directory, and its root, which symlinks may not leave.
//!
//! The repo-server knows the root; a plugin knows only its working directory. So the root is searched for: it is the
//! nearest ancestor of the source directory that contains `.git`. Outside of checkouts it is the working directory
//! without the Application's path, or else the working directory if the source directory is in it, or else the source
//! directory itself, which is the strictest answer. With `manifest-generate-paths` the repo-server sends only a folder
//! of the repository, and the working directory ends in only a part of the path: then that part is removed.
//!
//! git would also accept a folder with `HEAD`, `objects` and `refs` as a repository, and a pull request can contain
//! such a folder. Here only `.git` counts: git refuses to commit a file of that name.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use system::{canonical, file_name};

use super::files;

/// The root of the repository that contains `dir`, without symlinks. `source_path` is the Application's path in the
/// repository. Fails if `dir` is reached through a symlink that leads out of the checkout that has it.
pub fn root_of(dir: &Path, source_path: Option<&str>) -> io::Result<PathBuf> {
    let dir = without_links(dir)?;
    if let Some(top) = top_of(&dir) {
        return Ok(top.to_owned());
    }
    let working_dir = canonical(".")?;
    let less_path = source_path.and_then(|path| strip_end(&working_dir, path)).filter(|root| dir.starts_with(root));
    // Nobody keeps an Application at the top of a file system: that is where a container starts a program.
    let has_it = dir.starts_with(&working_dir) && working_dir.parent().is_some();
    let root = less_path.or_else(|| has_it.then_some(&*working_dir));
    Ok(root.unwrap_or(&dir).to_owned())
}

/// `dir` without symlinks. A pull request can put a symlink in the place of any directory of its checkout, so those
/// may not lead out of it; others belong to the user.
fn without_links(dir: &Path) -> io::Result<PathBuf> {
    let mut path = canonical(".")?;
    for component in dir.components() {
        let parent = path.clone();
        path.push(component);
        let is_link = fs::symlink_metadata(&path)?.is_symlink();
        path = canonical(&path)?;
        if is_link && top_of(&parent).is_some_and(|top| !is_in_repository(&path, top)) {
            return Err(io::Error::other(LEAVES));
        }
    }
    Ok(path)
}

/// Why a symlink is not followed.
pub(crate) const LEAVES: &str = "it is a symlink that leads out of the repository";

/// The name that git uses at the top of a working tree, for the repository itself or for a file that contains its
/// path.
pub const GIT: &str = ".git";

/// Whether a name is that of git's own files: in upper and lower case, because some file systems ignore case.
pub fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(GIT)
}

/// The maximum number of bytes read of a file `.git`; real ones are far smaller.
const MAX_GIT_FILE: u64 = 1 << 16;

/// The top of the working tree that contains `dir`: `dir` itself or its nearest ancestor with `.git`. The path must
/// be free of symlinks.
pub fn top_of(dir: &Path) -> Option<&Path> {
    dir.ancestors().find(|ancestor| has_git(ancestor))
}

/// Whether a directory contains anything named `.git`.
pub fn has_git(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(GIT)).is_ok()
}

/// A directory of a working tree.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// The top of the working tree, without symlinks.
    pub top: PathBuf,
    /// The path of the directory relative to the top, as written.
    pub below: PathBuf,
}

/// The working tree of `dir`, and the path in it; `None` outside of working trees.
///
/// A symlink in a working tree is not followed: a pull request can put one in the place of a directory, and it would
/// then decide which directory of a revision, or which other repository, is read.
pub fn place_of(dir: &Path) -> io::Result<Option<Place>> {
    let (mut path, names) = as_written(dir)?;
    let mut top = top_of(&path).map(Path::to_owned);
    let mut in_link = false;
    for name in names {
        path.push(name);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        if is_link && top.is_none() {
            // Outside of working trees a symlink belongs to the user.
            path = canonical(path)?;
            top = top_of(&path).map(Path::to_owned);
        } else {
            in_link |= is_link;
            if !in_link && has_git(&path) {
                top = Some(path.clone());
            }
        }
    }
    let Some(top) = top else { return Ok(None) };
    let below = path.strip_prefix(&top).map_err(io::Error::other)?.to_owned();
    Ok(Some(Place { top, below }))
}

/// The absolute path of `dir` in two parts: the first without symlinks, then the names below it as written.
fn as_written(dir: &Path) -> io::Result<(PathBuf, Vec<&OsStr>)> {
    let components: Vec<Component<'_>> = dir.components().collect();
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_) | Component::CurDir);
    // After a symlink, `..` is not the folder written before it.
    let first = components.iter().rposition(|component| !is_name(component)).map_or(0, |last| last + 1);
    let start: PathBuf = [Component::CurDir].iter().chain(&components[..first]).collect();
    let names = components[first..].iter().filter(|component| **component != Component::CurDir);
    Ok((canonical(start)?, names.map(|name| name.as_os_str()).collect()))
}

/// The top of the working tree that contains the working tree at `top` as a submodule. The path must be free of symlinks.
pub fn superproject_of(top: &Path) -> Option<&Path> {
    let outer = top.parent().and_then(top_of)?;
    let modules = git_dir(outer)?.join("modules");
    git_dir(top)?.starts_with(modules).then_some(outer)
}

/// The repository of the working tree with this top, without symlinks in its path: the folder `.git`, or the folder
/// to which the file `.git` of a worktree or submodule refers. `None` when `.git` is neither.
pub fn git_dir(top: &Path) -> Option<PathBuf> {
    let entry = top.join(GIT);
    let found = fs::metadata(&entry).ok()?;
    if found.is_dir() {
        return canonical(entry).ok();
    }
    let text = files::read(&entry, MAX_GIT_FILE).ok()??;
    let named = text.strip_prefix(b"gitdir: ")?;
    let end = named.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    canonical(top.join(file_name(&named[..=end]))).ok()
}

/// The path `below`, which is relative to the top of the working tree, in git's spelling; it ends in a slash unless
/// it is empty.
pub fn prefix(below: &Path) -> Vec<u8> {
    below.components().flat_map(|name| [name.as_os_str().as_encoded_bytes(), b"/"].concat()).collect()
}

/// `dir` without the longest end that is also an end of the path `end`; `None` when they have no end in common.
fn strip_end<'d>(dir: &'d Path, end: &str) -> Option<&'d Path> {
    let mut rest = dir;
    let mut names = Vec::new();
    for component in Path::new(end).components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    for name in names.iter().rev() {
        match rest.parent() {
            Some(parent) if rest.file_name() == Some(name) => rest = parent,
            _ => break,
        }
    }
    let is_top = !end.is_empty() && names.is_empty();
    (is_top || rest != dir).then_some(rest)
}

/// Whether `path` is `root` or below it, and not in `.git`: no revision contains git's own files, and in CI they can
/// contain a token. Both paths must be free of symlinks.
pub fn is_in_repository(path: &Path, root: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|below| !below.iter().any(is_git))
}

/// Whether a symlink may lead to `path`: it must be in the repository, but not the root itself, as in Argo CD's
/// `files.Inbound`.
pub fn is_inbound(path: &Path, root: &Path) -> bool {
    path != root && is_in_repository(path, root)
}

/// The parent of a path that has only a name is the working directory.
pub fn in_working_dir(parent: &Path) -> &Path {
    if parent.as_os_str().is_empty() { Path::new(".") } else { parent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::PathText;

    #[test]
    fn the_working_directory_less_the_path() {
        let stripped = |dir: &'static str, end| strip_end(Path::new(dir), end).map(|rest| rest.shown().to_string());
        assert_eq!(stripped("/srv/repo/apps/shop", "apps/shop"), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/repo/apps/shop", "./apps/shop/"), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/repo", "."), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/part/shop", "apps/shop"), Some("/srv/part".to_owned()));
        assert_eq!(stripped("/srv/repo", ""), None);
        assert_eq!(stripped("/srv/repo/apps/shop", "apps/other"), None);
        assert_eq!(stripped("/srv/repo/shop", "op"), None);
        assert_eq!(stripped("/srv/repo/apps", "../apps"), None);
        assert_eq!(stripped("/apps", "/apps"), None);
    }

    #[test]
    fn inbound_is_below_by_whole_names() {
        assert!(is_inbound(Path::new("/repo/a.yaml"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repository/a.yaml"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repo"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repo/.git/config"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repo/sub/.git"), Path::new("/repo")));
        assert!(is_inbound(Path::new("/repo/.github/a.yaml"), Path::new("/repo")));
    }
}
