//! Files of a repository that Git keeps elsewhere: in submodules and in Git LFS. Argo CD fetches the former (`reposerver.enable.git.submodule`
//! is on by default), and the latter if the repository is registered with `enableLfs`.

use std::fs;
use std::path::{Path, PathBuf};

use system::{PathText, canonical};
use text::Message;

use super::{clean, read_small};

/// The first line of a pointer to a file outside the repository (specification of Git LFS).
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// The most bytes of a pointer (the same specification).
const MAX_POINTER: u64 = 1024;

/// The most bytes of `.gitmodules`.
const MAX_MODULES: u64 = 1 << 20;

/// What is wrong with a file that is only a pointer.
pub const ONLY_A_POINTER: &str = "the repository has only a pointer to it, for Git LFS";

/// The help for such a file.
pub const LFS_HELP: &str =
    "run `git lfs pull`; for another repository, name a checkout that has the file with `--repo URL=DIR`";

/// Whether a file is only a pointer, by its content.
pub fn is_pointer(content: &[u8]) -> bool {
    content.starts_with(LFS_POINTER)
}

/// Whether there is only a pointer at a path.
pub fn has_pointer(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MAX_POINTER)
        && fs::read(path).is_ok_and(|content| is_pointer(&content))
}

/// The submodules below the top of a repository that are not checked out, in the order of `.gitmodules`. A clone has empty folders in their place.
pub fn missing_submodules(top: &Path) -> Vec<PathBuf> {
    let text = read_small(&top.join(".gitmodules"), MAX_MODULES).unwrap_or_default();
    let path = |line: &str| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "path").then(|| clean(Path::new(value.trim().trim_matches('"'))))
    };
    let is_missing = |path: &PathBuf| {
        let mut inside = fs::read_dir(top.join(path)).into_iter().flatten();
        path.components().next().is_some() && inside.next().is_none()
    };
    text.lines().filter_map(path).filter(is_missing).collect()
}

/// The first submodule below the directory `dir` of a repository that is not checked out.
pub fn missing_submodule(dir: &Path, top: &Path) -> Option<PathBuf> {
    let real = canonical(dir).ok()?;
    let below = missing_submodules(top).into_iter().map(|submodule| top.join(submodule));
    below.filter_map(|submodule| Some(dir.join(submodule.strip_prefix(&real).ok()?))).next()
}

/// The error for the source `dir` of the repository `top`, which cannot be read, if Git keeps a part of it elsewhere: a submodule whose name is in
/// `error`, or a file of the folder that is only a pointer.
pub fn missing_part(dir: &Path, top: &Path, error: &str) -> Option<Message> {
    let is_named = |submodule: &PathBuf| {
        let name = submodule.file_name().and_then(|name| name.to_str());
        let is_of_a_path = |char: char| char.is_alphanumeric() || "-_.".contains(char);
        name.is_some_and(|name| error.split(|char| !is_of_a_path(char)).any(|word| word == name))
    };
    if let Some(submodule) = missing_submodules(top).into_iter().find(is_named) {
        return Some(of_submodule(&submodule));
    }
    let files = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().take(MAX_LOOKED_AT).flatten();
    let pointer = files.map(|entry| entry.into_path()).find(|path| has_pointer(path))?;
    let path = pointer.strip_prefix(dir).unwrap_or(&pointer).shown();
    Some(Message::new(format!("`{path}`: {ONLY_A_POINTER}")).help(LFS_HELP))
}

/// How many files are looked at for a pointer.
const MAX_LOOKED_AT: usize = 10_000;

/// That a submodule is not checked out.
pub fn of_submodule(submodule: &Path) -> Message {
    Message::new(format!("the submodule `{}` is not checked out", submodule.shown())).help(
        "run `git submodule update --init`; for another repository, name a checkout that has it with `--repo URL=DIR`",
    )
}
