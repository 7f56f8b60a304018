#![doc = include_str!("../README.md")]
#![allow(clippy::disallowed_methods, reason = "a test may start a process")]
#![allow(clippy::unwrap_used, reason = "only tests use it, and a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use system::symlink;

/// A temporary directory, removed when the test ends.
#[derive(Debug)]
pub struct Scratch(
    /// Its path.
    pub PathBuf,
);

impl Scratch {
    /// An empty directory.
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("argocd-jobs-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// A directory with these files; the content of each file is its path.
    pub fn with(files: &[&str]) -> Self {
        files.iter().fold(Self::new(), |scratch, file| scratch.file(file, file))
    }

    /// Adds a file, and the folders that it is in.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.place(path), content).unwrap();
        self
    }

    /// Adds a symlink, and the folders that it is in.
    #[must_use]
    pub fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        symlink(target, self.place(path)).unwrap();
        self
    }

    /// Adds a named pipe.
    #[cfg(unix)]
    #[must_use]
    pub fn pipe(self, path: &str) -> Self {
        assert!(std::process::Command::new("mkfifo").arg(self.place(path)).status().unwrap().success());
        self
    }

    /// Adds a socket on which nobody listens.
    #[cfg(unix)]
    #[must_use]
    pub fn socket(self, path: &str) -> Self {
        drop(std::os::unix::net::UnixListener::bind(self.place(path)).unwrap());
        self
    }

    /// The path of a file, whose folder is there.
    fn place(&self, path: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
