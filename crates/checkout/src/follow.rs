//! Follows a path in a repository, link by link, without accessing anything outside of it.
//!
//! `fs::canonicalize` accesses every target of a link before the caller can refuse it, and returns no path for a
//! missing file. Here the first step out of the repository is the error, so that messages reveal nothing about files
//! outside.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use system::is_misread;

use super::repository::is_git;

/// The maximum number of symlinks that Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Whether a link to an absolute path is allowed when its target is in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsoluteLinks {
    /// Allowed, as for the operating system.
    Follow,
    /// Refused, as by Go's `os.Root`, which treats such a link as leading outside.
    Refuse,
}

/// The kind of file at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A pipe, a socket or a device.
    Other,
}

/// The end of a path.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The path of the file, without symlinks.
    pub place: PathBuf,
    /// The kind of the file.
    pub kind: Kind,
}

/// Why a path cannot be followed to its end.
#[derive(Debug)]
pub enum Stopped {
    /// The path leads out of the repository.
    Outside,
    /// The path leads into `.git`.
    Git,
    /// Nothing exists at the path.
    Missing,
    /// The path has more than 40 links, or they form a loop.
    TooManyLinks,
    /// The operating system returns this error; also when a folder in the path is a file.
    Unreadable(io::Error),
}

/// Follows `path` to its end. `root` is the root of the repository, absolute and without symlinks. `path` must be
/// absolute and, before symlinks are followed, at the root or below it.
pub fn follow(root: &Path, path: &Path, links: AbsoluteLinks) -> Result<Found, Stopped> {
    let below = path.strip_prefix(root).map_err(|_| Stopped::Outside)?;
    let mut todo: VecDeque<OsString> = VecDeque::new();
    push_front(&mut todo, below);
    let mut place = root.to_owned();
    let mut kind = Kind::Directory;
    let mut count = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            if place == root {
                return Err(Stopped::Outside);
            }
            place.pop();
            kind = Kind::Directory;
            continue;
        }
        if is_git(&name) {
            return Err(Stopped::Git);
        }
        if is_misread(&name) {
            return Err(Stopped::Missing);
        }
        place.push(name);
        let found = fs::symlink_metadata(&place).map_err(stopped)?;
        if !found.is_symlink() {
            kind = match found.file_type() {
                kind if kind.is_file() => Kind::File,
                kind if kind.is_dir() => Kind::Directory,
                _ => Kind::Other,
            };
            continue;
        }
        count += 1;
        if count > MAX_LINKS {
            return Err(Stopped::TooManyLinks);
        }
        let target = fs::read_link(&place).map_err(stopped)?;
        place.pop();
        if target.has_root() {
            let below = target.strip_prefix(root).ok().filter(|_| links == AbsoluteLinks::Follow);
            push_front(&mut todo, below.ok_or(Stopped::Outside)?);
            place = root.to_owned();
        } else {
            push_front(&mut todo, &target);
        }
    }
    Ok(Found { place, kind })
}

fn push_front(todo: &mut VecDeque<OsString>, path: &Path) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => todo.push_front(name.to_owned()),
            Component::ParentDir => todo.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

fn stopped(error: io::Error) -> Stopped {
    match error.kind() {
        io::ErrorKind::NotFound => Stopped::Missing,
        _ => Stopped::Unreadable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;
    use system::{PathText, canonical};

    #[test]
    fn no_step_leaves_the_repository() {
        let scratch = Scratch::with(&["repo/a/file", "repo/a/b/c", "repo/.git/config", "outside/file"])
            .link("repo/dir", "a")
            .link("repo/out", "../outside")
            .link("repo/out-missing", "../outside/missing")
            .link("repo/out-and-back", "../repo/a")
            .link("repo/through", "dir/../a/file")
            .link("repo/broken", "missing")
            .link("repo/circle", "circle")
            .link("repo/git", ".git")
            .link("repo/etc", "/etc")
            .link("repo/a/here", ".")
            .link("repo/a/up", "../..");
        let dir = canonical(&scratch.0).unwrap();
        let root = dir.join("repo");
        let _scratch = scratch.link("repo/absolute", root.join("a"));
        let ends = |path: &str, links| match follow(&root, &root.join(path), links) {
            Ok(found) => format!("{:?} {}", found.kind, found.place.strip_prefix(&root).unwrap().shown()),
            Err(Stopped::Unreadable(_)) => "Unreadable".to_owned(),
            Err(stopped) => format!("{stopped:?}"),
        };
        for (path, wanted) in [
            ("", "Directory "),
            ("a/file", "File a/file"),
            ("dir/file", "File a/file"),
            ("through", "File a/file"),
            ("a/here/here/b", "Directory a/b"),
            ("absolute/file", "File a/file"),
            ("out", "Outside"),
            ("out/file", "Outside"),
            ("out/missing", "Outside"),
            ("out-missing", "Outside"),
            ("out-and-back/file", "Outside"),
            ("etc/passwd", "Outside"),
            ("a/up", "Outside"),
            ("../repo/../outside", "Outside"),
            (".git/config", "Git"),
            ("git/config", "Git"),
            ("a/.git/missing", "Git"),
            ("missing", "Missing"),
            ("broken", "Missing"),
            ("circle", "TooManyLinks"),
            ("a/file/x", "Unreadable"),
        ] {
            assert_eq!(ends(path, AbsoluteLinks::Follow), wanted, "{path}");
        }
        assert_eq!(ends("absolute/file", AbsoluteLinks::Refuse), "Outside");
        let rings = |count: usize| format!("a/{}file", "here/".repeat(count));
        assert_eq!(ends(&rings(40), AbsoluteLinks::Follow), "File a/file");
        assert_eq!(ends(&rings(41), AbsoluteLinks::Follow), "TooManyLinks");
        assert!(matches!(follow(&root, &dir.join("outside"), AbsoluteLinks::Follow), Err(Stopped::Outside)));
    }
}
