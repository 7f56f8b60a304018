//! A repository with a changed source, for tests of what may be read and started.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::scratch::{Scratch, commit};
use crate::support::{case, program, switches};

pub(super) const REAL: &str = "1 Job runs again.\n";

/// A repository in which the Job in `apps/shop` has another image than in the last commit.
pub(super) struct Victim(pub(super) Scratch);

impl Victim {
    pub(super) fn new() -> Self {
        let victim = Self(Scratch::new());
        victim.0.write("apps/shop/m.yaml", old_job());
        commit(&victim.root());
        victim.0.write("apps/shop/m.yaml", new_job());
        victim
    }

    pub(super) fn root(&self) -> PathBuf {
        self.0.source()
    }

    /// The folder around the repository, into which no pull request can write.
    pub(super) fn outside(&self) -> PathBuf {
        self.root().parent().unwrap().to_owned()
    }

    /// The first line of standard output, standard error, and the exit status of `preview apps/shop --base HEAD
    /// --exit-code`.
    pub(super) fn preview(&self, environment: &[(&str, OsString)]) -> (String, String, Option<i32>) {
        preview_in(&self.root(), &[("PATH", real_path())], environment)
    }

    /// A program named `git` in `folder` of the repository. It creates a file when it is started.
    pub(super) fn own_git(&self, folder: &str) -> PathBuf {
        let git = self.0.write(&format!("{folder}/git"), "");
        self.script(&git, "exit 1");
        git
    }

    pub(super) fn script(&self, path: &Path, rest: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\n: > '{}'\n{rest}\n", self.started().display())).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn started(&self) -> PathBuf {
        self.outside().join("started")
    }
}

pub(super) fn preview_in(
    dir: &Path,
    path: &[(&str, OsString)],
    environment: &[(&str, OsString)],
) -> (String, String, Option<i32>) {
    let mut command = program::program(dir);
    command.args(["preview", "--plugin", "apps/shop", "--base", "HEAD", "--exit-code"]);
    command.envs(path.iter().chain(environment).map(|(name, value)| (name, value)));
    let told = program::run(command, b"");
    (told.text().split_inclusive('\n').next().unwrap_or_default().to_owned(), told.stderr, told.status)
}

pub(super) fn old_job() -> String {
    fs::read_to_string(case::root().join("preview/base/against-new-image/in/old/m.yaml")).unwrap()
}

pub(super) fn new_job() -> String {
    old_job().replace("shop:1.4.1", "shop:1.4.2")
}

pub(super) fn real_path() -> OsString {
    switches::path()
}

pub(super) fn real(words: &str) -> (String, String, Option<i32>) {
    (words.to_owned(), String::new(), Some(3))
}

/// Makes a folder that git would find as a repository: `file` in its last commit contains the current Job.
pub(super) fn plant(at: &Path, file: &str) {
    let theirs = Scratch::new();
    theirs.write(file, new_job());
    commit(&theirs.source());
    let bare = theirs.source().with_file_name("bare");
    let clone = Command::new("git").args(["clone", "--quiet", "--bare"]).arg(theirs.source()).arg(&bare).status();
    assert!(clone.unwrap().success());
    for entry in ["HEAD", "config", "objects", "refs", "packed-refs"] {
        assert!(Command::new("cp").arg("-r").arg(bare.join(entry)).arg(at).status().unwrap().success());
    }
}
