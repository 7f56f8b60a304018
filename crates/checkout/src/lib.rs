#![doc = include_str!("../README.md")]

pub mod encoding;
pub mod files;
pub mod follow;
mod kept_elsewhere;
mod replace;
pub mod repository;
mod tools;

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use encoding::Undecodable;
use files::Below;
use follow::{AbsoluteLinks, Kind, Stopped, follow};
pub use kept_elsewhere::{
    LFS_HELP, ONLY_A_POINTER, has_pointer, is_pointer, missing_part, missing_submodule, missing_submodules,
    of_submodule,
};
pub use replace::{NotReplaced, check_replaceable, replace};
pub use repository::is_in_repository;
pub use tools::Tools;

/// Why a path is not a folder in the checkout.
#[derive(Debug)]
pub enum NoFolder {
    /// The path leads out of the checkout, or into `.git`.
    Leaves,
    /// Nothing exists at the path, or something other than a folder.
    Missing,
    /// The operating system returns this error.
    Unreadable(io::Error),
}

/// The folder at `path` in the checkout with the root `root`, which must be absolute and without symlinks. Returns
/// its path relative to the root, without `.` and `..`. As in Argo CD, `..` removes the name before it, even if that
/// name is a symlink (`Path` in `util/app/path/path.go`).
pub fn folder_in(root: &Path, path: &str) -> Result<PathBuf, NoFolder> {
    if path.contains('\0') {
        return Err(NoFolder::Missing);
    }
    if Path::new(path).has_root() || Path::new(path).is_absolute() {
        return Err(NoFolder::Leaves);
    }
    let whole = clean(&root.join(path));
    let below = whole.strip_prefix(root).map_err(|_| NoFolder::Leaves)?.to_owned();
    match follow(root, &whole, AbsoluteLinks::Refuse) {
        Ok(found) if found.kind == Kind::Directory => Ok(below),
        Ok(_) | Err(Stopped::Missing) => Err(NoFolder::Missing),
        Err(Stopped::Outside | Stopped::Git) => Err(NoFolder::Leaves),
        Err(Stopped::TooManyLinks) => Err(NoFolder::Unreadable(io::Error::other("too many levels of symbolic links"))),
        Err(Stopped::Unreadable(error)) if error.kind() == io::ErrorKind::NotADirectory => Err(NoFolder::Missing),
        Err(Stopped::Unreadable(error)) => Err(NoFolder::Unreadable(error)),
    }
}

/// The text of the file at `below` in the checkout with the root `root`; `None` when nothing or a folder is there.
/// Fails for more than `limit` bytes, for anything else than a regular file in UTF-8, and for a path that leads out
/// of the checkout.
pub fn small_file_in(root: &Path, below: &Path, limit: u64) -> io::Result<Option<String>> {
    let found = match follow(root, &clean(&root.join(below)), AbsoluteLinks::Refuse) {
        Ok(found) => found,
        Err(Stopped::Missing) => return Ok(None),
        Err(Stopped::Unreadable(error)) => return Err(error),
        Err(Stopped::Outside | Stopped::Git) => {
            return Err(io::Error::other(repository::LEAVES));
        }
        Err(Stopped::TooManyLinks) => return Err(io::Error::other("too many levels of symbolic links")),
    };
    match found.kind {
        Kind::File => {
            let below = found.place.strip_prefix(root).map_err(io::Error::other)?;
            text(files::read_opened(&Below::new(root.to_owned()).open(below)?, limit)?, limit).map(Some)
        }
        Kind::Directory => Ok(None),
        Kind::Other => Err(io::Error::other("not a regular file")),
    }
}

/// The text of the regular file at `path`, without a byte order mark. Fails for more than `limit` bytes, and for text
/// that is not UTF-8.
pub fn read_small(path: &Path, limit: u64) -> io::Result<String> {
    text(files::read(path, limit)?, limit)
}

/// Whether two regular files have the same content; false when they have more than `limit` bytes.
pub fn have_equal_bytes(one: &Path, other: &Path, limit: u64) -> io::Result<bool> {
    let (one, other) = (files::read(one, limit)?, files::read(other, limit)?);
    Ok(one.is_some() && one == other)
}

/// Like `read_small`, for a file that the user names, which may be a pipe.
pub fn read_named(path: &Path, limit: u64) -> io::Result<String> {
    text(files::read_stream(File::open(path)?, limit)?, limit)
}

fn text(bytes: Option<Vec<u8>>, limit: u64) -> io::Result<String> {
    let bytes = bytes.ok_or_else(|| io::Error::other(format!("it is larger than {} MiB", limit >> 20)))?;
    let mut text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// The root of the repository that contains `dir`, without symlinks. Links may not lead out of it.
pub fn repository_root(dir: &Path) -> io::Result<PathBuf> {
    repository::root_of(dir, None)
}

/// The path without `.`, and without `..` where possible. Symlinks are not followed.
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
