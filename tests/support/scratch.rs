//! A temporary folder for one test.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An empty folder inside the target directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder. It contains an empty `.git`, so that the program treats it as the root of a repository.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scratch-{}-{number}", std::process::id()));
        fs::create_dir_all(dir.join(".git")).expect("the target directory can be written");
        fs::create_dir_all(dir.join("source")).expect("the target directory can be written");
        Self(dir)
    }

    /// The Application's source directory in the folder.
    pub(crate) fn source(&self) -> PathBuf {
        self.0.join("source")
    }

    /// Writes a file in the source directory, and creates its folders.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.source().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If removing it fails, it stays in the target directory, where `cargo clean` removes it.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Copies a folder, which may be named by a link, with the links in it as they are, and without the files and folders of the names `left_out`.
pub(crate) fn copy(from: &Path, to: &Path, left_out: &[&str]) {
    let from = &system::canonical(from).unwrap();
    let is_left_out = |entry: &walkdir::DirEntry| left_out.iter().any(|name| entry.file_name() == *name);
    let entries = walkdir::WalkDir::new(from).into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry)).map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else if entry.file_type().is_symlink() {
            symlink(fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Makes `dir` a repository, and commits all files in it.
pub(crate) fn commit(dir: &Path) {
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all", "--force"],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "--quiet",
            "--message=x",
        ],
    ] {
        let mut git = Command::new("git");
        git.arg("-C").arg(dir).args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"]).args(arguments);
        git.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_DIR", ".git")]);
        assert!(git.status().is_ok_and(|status| status.success()), "{arguments:?}");
    }
}
