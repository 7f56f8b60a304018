//! A repository in the tree of a request, as Argo CD's cmp-server makes it, and fake tools that log their calls.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(target_os = "linux")]
use crate::support::landlock;
use crate::support::program::{Output, program, run};

/// Separators of the words of a call, and of calls, in the log of the fake tools.
const WORD: char = '\u{1f}';
const CALL: char = '\u{1e}';

/// A script that prints one object; a fake tool runs it after it has logged its call.
const PRINT: &str = r#"case "$1" in template|build) printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-%s}\n' "${0##*/}" ;; esac"#;

/// A folder with a repository and tools next to it, removed when dropped.
pub(super) struct World {
    whole: PathBuf,
    /// Fake tools write their log where a tool may not write. So with them the program runs as on a kernel without
    /// Landlock.
    is_real: Cell<bool>,
}

impl World {
    /// A repository with these files, in the tree of a request or not.
    pub(super) fn new(files: &BTreeMap<String, String>, is_request: bool) -> Self {
        Self::new_in(Path::new(env!("CARGO_TARGET_TMPDIR")), files, is_request)
    }

    /// The same without `.git`, in a folder that is in no other repository.
    pub(super) fn without_git(files: &BTreeMap<String, String>, is_request: bool) -> Self {
        let world = Self::new_in(&std::env::temp_dir(), files, is_request);
        fs::remove_dir_all(world.root().join(".git")).unwrap();
        world
    }

    fn new_in(parent: &Path, files: &BTreeMap<String, String>, is_request: bool) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("render-{}-{number}", std::process::id()));
        let whole = if is_request { dir.join("_cmp_server") } else { dir };
        let world = Self { whole, is_real: Cell::new(false) };
        for folder in [world.root().join(".git"), world.tools(), world.temporary()] {
            fs::create_dir_all(folder).unwrap();
        }
        for (path, text) in files {
            world.write(path, text);
        }
        for tool in ["helm", "kustomize"] {
            world.tool(tool, PRINT);
        }
        world
    }

    /// The root of the repository.
    pub(super) fn root(&self) -> PathBuf {
        self.whole.join("8f6c0f5e")
    }

    /// The folder of the tools.
    pub(super) fn tools(&self) -> PathBuf {
        self.whole.join("bin")
    }

    /// The directory for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.whole.join("tmp")
    }

    /// A folder next to the repository, which belongs to somebody else.
    pub(super) fn outside(&self) -> PathBuf {
        self.whole.join("outside")
    }

    /// The folder that contains everything.
    pub(super) fn whole(&self) -> &Path {
        &self.whole
    }

    /// Replaces a fake tool by the real one. From now on the program may only run real tools.
    pub(super) fn real(&self, name: &str, program: &Path) {
        self.is_real.set(true);
        let path = self.tools().join(name);
        drop(fs::remove_file(&path));
        std::os::unix::fs::symlink(program, path).unwrap();
    }

    /// Writes a file of the repository.
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes a fake tool that logs its call and then runs `script` with `/bin/sh`.
    pub(super) fn tool(&self, name: &str, script: &str) {
        self.is_real.set(false);
        let log = self.whole.join("calls");
        let text = format!(
            "#!/bin/sh\n{{ printf '%s\\037%s' \"$PWD\" \"${{0##*/}}\"; for word; do printf '\\037%s' \"$word\"; done; printf '\\036'; }} >> '{}'\n\
             {script}\n",
            log.display()
        );
        let path = self.tools().join(name);
        // Write it under another name first: a script that is open for writing cannot be started.
        fs::write(path.with_extension("new"), text).unwrap();
        fs::set_permissions(path.with_extension("new"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    }

    /// The program, as Argo CD starts it in this directory of the repository. Only for the calling thread.
    pub(super) fn command(&self, dir: &str, environment: &BTreeMap<String, String>) -> Command {
        #[cfg(target_os = "linux")]
        if !self.is_real.get() {
            landlock::deny();
        }
        let mut command = program(&self.root().join(dir));
        command.env("PATH", self.tools()).env("TMPDIR", self.temporary()).envs(environment);
        command
    }

    /// Runs `generate` in a directory of the repository.
    pub(super) fn generate(&self, dir: &str, environment: &BTreeMap<String, String>) -> Output {
        let mut command = self.command(dir, environment);
        command.arg("generate");
        run(command, b"")
    }

    /// The calls of the tools, one on each line as a user would type them: the directory and the words.
    pub(super) fn calls(&self) -> String {
        let log = fs::read_to_string(self.whole.join("calls")).unwrap_or_default();
        let calls = log.split(CALL).filter(|call| !call.is_empty());
        let lines = calls.map(|call| {
            let (dir, words) = call.split_once(WORD).unwrap();
            let words: Vec<String> = words.split(WORD).map(quoted).collect();
            format!("{dir}$ {}\n", words.join(" "))
        });
        self.without_paths(&lines.collect::<String>())
    }

    /// The content of the repository and of the folder outside: each path with its target or content, its mode and
    /// its time.
    pub(super) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let folders = [self.root(), self.outside()].into_iter().filter(|folder| folder.exists());
        let described = folders.flat_map(walkdir::WalkDir::new).map(Result::unwrap).map(|entry| {
            let found = entry.metadata().unwrap();
            let content = match found.is_file() {
                true => fs::read(entry.path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok(),
                false => fs::read_link(entry.path()).map(|target| target.display().to_string()).ok(),
            };
            (entry.into_path(), format!("{:?} {:?} {content:?}", found.permissions(), found.modified().unwrap()))
        });
        described.collect()
    }

    /// A text in which the paths of this run are replaced by fixed words.
    pub(super) fn without_paths(&self, text: &str) -> String {
        let root = fs::canonicalize(self.root()).unwrap();
        let temporary = fs::canonicalize(self.temporary()).unwrap();
        let text = text.replace(root.to_str().unwrap(), "ROOT");
        let mut rest = text.as_str();
        let mut out = String::new();
        // The name of the private directory is random.
        let begin = format!("{}/", temporary.display());
        while let Some((before, after)) = rest.split_once(&begin) {
            out.push_str(before);
            out.push_str("PRIVATE");
            rest = after.find('/').map_or("", |end| &after[end..]);
        }
        out + rest
    }

    /// The files left in the directory for temporary files.
    pub(super) fn leftovers(&self) -> Vec<PathBuf> {
        fs::read_dir(self.temporary()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let is_request = self.whole.ends_with("_cmp_server");
        let top = if is_request { self.whole.parent().unwrap() } else { &self.whole };
        drop(fs::remove_dir_all(top));
    }
}

/// A word as a user would type it in a shell.
fn quoted(word: &str) -> String {
    let is_plain = |found: char| found.is_ascii_alphanumeric() || "_./:=@%+,-".contains(found);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''").replace('\n', "\\n"))
}
