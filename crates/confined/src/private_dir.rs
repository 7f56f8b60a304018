//! A private directory for the files of one run. It is removed when the run is over, however it ends.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use super::here::Keeper;
use super::tree;

/// The prefix of the names: an administrator who sees such a directory knows where it comes from.
const PREFIX: &str = "argocd-jobs-";

/// A directory with mode 0700 and a name that cannot be guessed.
///
/// On Linux another process makes and removes it (`linux/janitor.rs`), so that it is removed even when this process is
/// killed. On other systems it then stays.
#[derive(Debug)]
pub struct PrivateDir {
    path: PathBuf,
    keeper: Keeper,
}

impl PrivateDir {
    /// Starts making a directory in `parent`, which must be absolute. `launcher` is the path of this program.
    pub fn new(launcher: &Path, parent: &Path) -> io::Result<Self> {
        let path = parent.join(format!("{PREFIX}{}", unguessable()));
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path of a private directory is not absolute"));
        }
        let keeper = Keeper::start(launcher, &path)?;
        Ok(Self { path, keeper })
    }

    /// The absolute path; fails when the directory could not be made. The first call waits for the janitor, which
    /// takes no time when enough other work was done since [`PrivateDir::new`].
    pub fn path(&self) -> io::Result<&Path> {
        self.keeper.made()?;
        Ok(&self.path)
    }

    /// The path, whether the directory exists already or not.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        let is_made = self.path().is_ok();
        self.keeper.end();
        // The janitor has removed the directory unless somebody has killed it. If removing it fails, it stays.
        if is_made {
            drop(tree::remove(&self.path));
        }
    }
}

/// 128 bits as text, from a keyed hash whose key comes from the operating system.
pub fn unguessable() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let names: std::collections::BTreeSet<String> = (0..1000).map(|_| unguessable()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| name.len() == 32));
    }
}
