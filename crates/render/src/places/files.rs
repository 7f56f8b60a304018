//! Reads the files from which manifests are rendered: only below the root of the repository, and with limits.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use checkout::follow::{AbsoluteLinks, Kind, follow};
use checkout::{clean, files};
use system::canonical;

/// The maximum number of files, of bytes in a file, and of bytes in all files. A larger file has a name, but no
/// lines.
const MOST: (usize, u64, u64) = (2_000, 1 << 20, 32 << 20);

/// The names of the directory, from which paths of files in messages are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'s> {
    /// The prefix of the paths of its files in messages.
    pub(crate) prefix: &'s Path,
    /// The path of the directory as the user wrote it.
    pub(crate) written: &'s Path,
}

/// A file from which manifests are rendered.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// The path that messages show.
    pub(super) shown: PathBuf,
    /// The absolute path, in which symlinks are not followed.
    pub(super) path: PathBuf,
    /// The text; `None` when the file is too large, or not UTF-8.
    pub(super) text: Option<String>,
}

/// Reads each file once, and numbers the files.
#[derive(Clone)]
pub(crate) struct Reader<'s> {
    /// The source directory and the root of the repository: absolute paths without symlinks.
    dir: &'s Path,
    root: &'s Path,
    shown: Shown<'s>,
    /// The number of each file by its absolute path; `None` for a path that is not a file of the repository.
    known: BTreeMap<PathBuf, Option<usize>>,
    files: Vec<SourceFile>,
    left: u64,
}

impl<'s> Reader<'s> {
    /// A reader for the source directory `dir` in the repository with this root. Both paths must be absolute and
    /// without symlinks.
    pub(crate) fn new(dir: &'s Path, root: &'s Path, shown: Shown<'s>) -> Self {
        Self { dir, root, shown, known: BTreeMap::new(), files: Vec::new(), left: MOST.2 }
    }

    /// The source directory: an absolute path without symlinks.
    pub(crate) fn dir(&self) -> &'s Path {
        self.dir
    }

    /// The root of the repository: an absolute path without symlinks.
    pub(crate) fn root(&self) -> &'s Path {
        self.root
    }

    /// The number of the file with this absolute path; `None` when it is not a file of the repository, or when the
    /// limit is reached.
    pub(crate) fn file(&mut self, path: &Path) -> Option<usize> {
        let path = clean(path);
        if let Some(known) = self.known.get(&path) {
            return *known;
        }
        if self.known.len() >= MOST.0 {
            return None;
        }
        let number = self.place(&path, Kind::File).map(|place| {
            let text = self.read(&place);
            self.files.push(SourceFile { shown: self.shown(&path), path: path.clone(), text });
            self.files.len() - 1
        });
        self.known.insert(path, number);
        number
    }

    /// The text of the file with this number; `None` when it is too large, or not UTF-8.
    pub(crate) fn text(&self, number: usize) -> Option<&str> {
        self.files.get(number)?.text.as_deref()
    }

    /// Whether the repository contains a folder with this absolute path.
    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        self.place(&clean(path), Kind::Directory).is_some()
    }

    /// The sorted names in a folder of the repository; empty when there is no such folder.
    pub(crate) fn names(&self, folder: &Path) -> Vec<String> {
        let Some(place) = self.place(&clean(folder), Kind::Directory) else { return Vec::new() };
        let entries = fs::read_dir(place).into_iter().flatten().take(MOST.0);
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn into_files(self) -> Vec<SourceFile> {
        self.files
    }

    /// The real path of a path without `..`, if it is of this kind and no part of it leads out of the repository.
    fn place(&self, path: &Path, kind: Kind) -> Option<PathBuf> {
        if !path.starts_with(self.root) || path.components().any(|component| component == Component::ParentDir) {
            return None;
        }
        let found = follow(self.root, path, AbsoluteLinks::Follow).ok()?;
        (found.kind == kind).then_some(found.place)
    }

    fn read(&mut self, place: &Path) -> Option<String> {
        let most = MOST.1.min(self.left);
        let bytes = files::read(place, most).ok()??;
        self.left -= bytes.len() as u64;
        String::from_utf8(bytes).ok()
    }

    /// The path that messages show.
    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        if let Ok(below) = path.strip_prefix(self.dir) {
            return self.shown.prefix.join(below);
        }
        let up: PathBuf = self.dir.ancestors().take_while(|above| !path.starts_with(above)).map(|_| "..").collect();
        let above = self.dir.ancestors().find(|above| path.starts_with(above)).unwrap_or(self.root);
        let relative = up.join(path.strip_prefix(above).unwrap_or(path));
        // After a symlink, `..` is not the folder written before it: use the path only if it leads to the same file.
        let is_there = |written: &Path| canonical(clean(&written.join(&relative))).ok();
        if is_there(self.shown.written).is_some_and(|found| canonical(path).is_ok_and(|real| real == found)) {
            return clean(&self.shown.prefix.join(&relative));
        }
        path.strip_prefix(self.root).unwrap_or(path).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;
    use system::PathText;

    #[test]
    fn files_have_the_names_that_the_user_knows() {
        let scratch = Scratch::with(&["repo/.git/config", "repo/a/app/x", "repo/a/y", "repo/z", "outside"])
            .link("repo/link", "a/app")
            .link("repo/a/app/out", "../../../outside")
            .link("repo/a/app/in", "../y");
        let top = canonical(&scratch.0).unwrap();
        let (root, dir) = (top.join("repo"), top.join("repo/a/app"));
        let name = |written: &str, prefix: &str, path: &str| {
            let written = root.join(written);
            let mut reader = Reader::new(&dir, &root, Shown { prefix: Path::new(prefix), written: &written });
            let number = reader.file(&dir.join(path))?;
            assert!(reader.text(number).is_some(), "{path}");
            Some(reader.into_files()[number].shown.shown().to_string())
        };
        assert_eq!(name("a/app", "a/app", "x").as_deref(), Some("a/app/x"));
        assert_eq!(name("a/app", "", "../y").as_deref(), Some("../y"));
        assert_eq!(name("a/app", "a/app", "../y").as_deref(), Some("a/y"));
        assert_eq!(name("a/app", "a/app", "../../z").as_deref(), Some("z"));
        assert_eq!(name("link", "link", "../y").as_deref(), Some("a/y"));
        assert_eq!(name("a/app", "", "in").as_deref(), Some("in"));
        for path in ["out", "../../../outside", "../../.git/config", "../..", "missing", "/etc/passwd"] {
            assert_eq!(name("a/app", "a/app", path), None, "{path}");
        }
    }

    #[test]
    fn a_file_that_is_too_large_or_no_text_has_a_name_and_no_lines() {
        let large = vec![b'x'; MOST.1 as usize + 1];
        let scratch = Scratch::new().file("repo/large", large).file("repo/bytes", [0xff, 0xfe, 0]);
        let root = canonical(scratch.0.join("repo")).unwrap();
        let mut reader = Reader::new(&root, &root, Shown { prefix: Path::new(""), written: &root });
        for name in ["large", "bytes"] {
            let number = reader.file(&root.join(name)).unwrap();
            assert_eq!(reader.text(number), None, "{name}");
            assert_eq!(reader.file(&root.join(name)), Some(number), "{name}");
        }
    }
}
