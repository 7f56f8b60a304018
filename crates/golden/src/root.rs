//! The root of the repository that contains the cases: their links and arguments must not lead out of it.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use system::{canonical, relative};

use super::shown;

/// The root of the repository that contains the cases; outside of a repository, the directory of the cases. Its text
/// completes `… leads out of {root}` and names the folder that was taken as the root.
#[derive(Debug)]
pub(super) struct Root {
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
        let (path, here) = (checkout::repository_root(dir)?, canonical(".")?);
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
