//! A private directory for the files of one run, which is gone when the run is over, however it ends.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::{Child, ChildStdout};
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

#[cfg(target_os = "linux")]
use super::janitor;
use super::tree;

/// How the names begin; an administrator may see them.
const PREFIX: &str = "argocd-jobs-";

/// A directory with mode 0700 and a name that cannot be guessed.
///
/// On Linux a process of its own makes and removes it (`janitor.rs`), so that nothing is left behind even when this one is killed.
/// Elsewhere it is left behind then.
#[derive(Debug)]
pub struct PrivateDir {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    janitor: Child,
    /// What the janitor will answer; none when it has been heard.
    #[cfg(target_os = "linux")]
    answer: Mutex<Option<ChildStdout>>,
}

impl PrivateDir {
    /// Begins to make one in the directory `parent`, by its absolute path. `launcher` is the path of this program.
    pub fn new(launcher: &Path, parent: &Path) -> io::Result<Self> {
        let path = parent.join(format!("{PREFIX}{}", unguessable()));
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path of a private directory is not absolute"));
        }
        Self::at(launcher, path)
    }

    #[cfg(target_os = "linux")]
    fn at(launcher: &Path, path: PathBuf) -> io::Result<Self> {
        let mut janitor = janitor::start(launcher, &path)?;
        let answer = Mutex::new(janitor.stdout.take());
        Ok(Self { path, janitor, answer })
    }

    #[cfg(not(target_os = "linux"))]
    fn at(_: &Path, path: PathBuf) -> io::Result<Self> {
        tree::make(&path)?;
        Ok(Self { path })
    }

    /// Its absolute path; an error when it could not be made. The first call waits for the janitor, which costs nothing when there was
    /// other work to do since [`PrivateDir::new`].
    pub fn path(&self) -> io::Result<&Path> {
        #[cfg(target_os = "linux")]
        {
            let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stdout) = answer.as_mut() {
                // After an error the next call fails too: there is nothing left to hear.
                janitor::answer(stdout)?;
                *answer = None;
            }
        }
        Ok(&self.path)
    }

    /// The path that it has or will have.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        let is_made = self.path().is_ok();
        // This closes its standard input, which is what it waits for.
        #[cfg(target_os = "linux")]
        drop(self.janitor.wait());
        // There is nothing to do unless somebody has killed the janitor. What cannot be removed now stays.
        if is_made {
            drop(tree::remove(&self.path));
        }
    }
}

/// 128 bits as text, of a keyed hash whose key comes from the operating system.
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
