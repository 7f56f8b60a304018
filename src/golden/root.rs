//! The repository that the cases are in: what their links and arguments may not leave.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::shown;
use crate::source;

/// The root of the repository that the cases are in; without one, the directory of the cases. Displays so that `… leads out of {root}` is
/// a sentence that says which folder was taken.
#[derive(Clone, Debug)]
pub struct Root {
    /// Its path, without symlinks.
    pub(super) path: PathBuf,
    /// The same from the working directory.
    from_here: PathBuf,
    /// False when there is no repository.
    is_repository: bool,
}

impl Root {
    /// The root for the cases in `dir`, which must be a directory.
    pub(super) fn of(dir: &Path) -> io::Result<Self> {
        let (path, here) = (source::repository_root(dir)?, fs::canonicalize(".")?);
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

/// `path` as it is written in the directory `from`; both are absolute. `None` when they have nothing in common but the root.
fn relative(from: &Path, path: &Path) -> Option<PathBuf> {
    let common = from.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    path.components().take(common).find(|part| is_name(*part))?;
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}
