//! The root of the repository that contains the cases: their links and arguments must not lead out of it.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::shown;
use crate::source;
use crate::system::canonical;

/// The root of the repository that contains the cases; outside of a repository, the directory of the cases. Its text
/// completes `… leads out of {root}` and names the folder that was taken as the root.
#[derive(Clone, Debug)]
pub struct Root {
    /// The absolute path, without symlinks.
    pub(super) path: PathBuf,
    /// The path relative to the working directory.
    from_here: PathBuf,
    /// False when the cases are not in a repository.
    is_repository: bool,
}

impl Root {
    /// The root for the cases in `dir`, which must be a directory.
    pub(super) fn of(dir: &Path) -> io::Result<Self> {
        let (path, here) = (source::repository_root(dir)?, canonical(".")?);
        let is_repository = fs::symlink_metadata(path.join(".git")).is_ok();
        let from_here = relative(&here, &path).unwrap_or_else(|| path.clone());
        Ok(Self { path, from_here, is_repository })
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = shown(&self.from_here);
        if self.is_repository {
            write!(f, "the repository, whose root is `{root}`")
        } else {
            write!(f, "`{root}`, which counts as the repository because there is no `.git` in it or above it")
        }
    }
}

/// `path` relative to the directory `from`; both are absolute. `None` when they have only the root of the file system
/// in common.
fn relative(from: &Path, path: &Path) -> Option<PathBuf> {
    let common = from.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    path.components().take(common).find(|part| is_name(*part))?;
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}
