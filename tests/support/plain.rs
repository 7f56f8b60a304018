//! Folders outside of any repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use system::canonical;

/// A folder outside of any repository, removed when the test ends.
pub(crate) struct Plain(PathBuf);

impl Plain {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("argocd-jobs-cases-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(canonical(dir).unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
