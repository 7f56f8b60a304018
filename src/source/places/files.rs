//! Reads the files that manifests come from: only below the root of the repository, and not more than there is reason to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::source::confined::{AbsoluteLinks, Kind, follow};
use crate::source::{clean, files};

/// The most files that are looked at, the most bytes of one, and of all together. A file that is larger has a name and no lines.
const MOST: (usize, u64, u64) = (2_000, 1 << 20, 32 << 20);

/// What the directory is called, so that files have the names that the user knows.
#[derive(Clone, Copy, Debug)]
pub(in crate::source) struct Shown<'s> {
    /// What the paths of its files begin with.
    pub(in crate::source) prefix: &'s Path,
    /// The directory as the user wrote it.
    pub(in crate::source) written: &'s Path,
}

/// A file that manifests come from.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The path as the user knows it.
    pub(super) shown: PathBuf,
    /// Its text; none when it is too large, or no text.
    pub(super) text: Option<String>,
}

/// Reads files, each once, and numbers them.
pub(in crate::source) struct Reader<'s> {
    /// The source directory and the root of the repository, absolute and without symlinks.
    dir: &'s Path,
    root: &'s Path,
    shown: Shown<'s>,
    /// By their absolute paths; none for what is no file of the repository.
    known: BTreeMap<PathBuf, Option<usize>>,
    files: Vec<SourceFile>,
    left: u64,
}

impl<'s> Reader<'s> {
    /// A reader for the source directory `dir` in the repository with this root, both absolute and without symlinks.
    pub(in crate::source) fn new(dir: &'s Path, root: &'s Path, shown: Shown<'s>) -> Self {
        Self { dir, root, shown, known: BTreeMap::new(), files: Vec::new(), left: MOST.2 }
    }

    /// The source directory.
    pub(in crate::source) fn dir(&self) -> &'s Path {
        self.dir
    }

    /// The root of the repository.
    pub(in crate::source) fn root(&self) -> &'s Path {
        self.root
    }

    /// The number of the file with this absolute path; none when it is no file of the repository.
    pub(in crate::source) fn file(&mut self, path: &Path) -> Option<usize> {
        let path = clean(path);
        if let Some(known) = self.known.get(&path) {
            return *known;
        }
        if self.known.len() >= MOST.0 {
            return None;
        }
        let number = self.place(&path, Kind::File).map(|place| {
            let text = self.read(&place);
            self.files.push(SourceFile { shown: self.shown(&path), text });
            self.files.len() - 1
        });
        self.known.insert(path, number);
        number
    }

    /// The text of a file that was read.
    pub(in crate::source) fn text(&self, number: usize) -> Option<&str> {
        self.files.get(number)?.text.as_deref()
    }

    /// Whether there is a folder with this absolute path in the repository.
    pub(in crate::source) fn is_folder(&self, path: &Path) -> bool {
        self.place(&clean(path), Kind::Directory).is_some()
    }

    /// The names in a folder of the repository, sorted; none of what is no such folder.
    pub(in crate::source) fn names(&self, folder: &Path) -> Vec<String> {
        let Some(place) = self.place(&clean(folder), Kind::Directory) else { return Vec::new() };
        let entries = fs::read_dir(place).into_iter().flatten().take(MOST.0);
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn into_files(self) -> Vec<SourceFile> {
        self.files
    }

    /// Where a path without `..` leads, when it is of this kind and in the repository all the way.
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

    /// The path as the user knows it.
    pub(in crate::source) fn shown(&self, path: &Path) -> PathBuf {
        if let Ok(below) = path.strip_prefix(self.dir) {
            return self.shown.prefix.join(below);
        }
        let up: PathBuf = self.dir.ancestors().take_while(|above| !path.starts_with(above)).map(|_| "..").collect();
        let above = self.dir.ancestors().find(|above| path.starts_with(above)).unwrap_or(self.root);
        let relative = up.join(path.strip_prefix(above).unwrap_or(path));
        // Behind a symlink `..` is not the folder that is written before it.
        let is_there = |written: &Path| fs::canonicalize(clean(&written.join(&relative))).ok();
        if is_there(self.shown.written).is_some_and(|found| fs::canonicalize(path).is_ok_and(|real| real == found)) {
            return clean(&self.shown.prefix.join(&relative));
        }
        path.strip_prefix(self.root).unwrap_or(path).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::Scratch;

    #[test]
    fn files_have_the_names_that_the_user_knows() {
        let scratch = Scratch::with(&["repo/.git/config", "repo/a/app/x", "repo/a/y", "repo/z", "outside"])
            .link("repo/link", "a/app")
            .link("repo/a/app/out", "../../../outside")
            .link("repo/a/app/in", "../y");
        let top = fs::canonicalize(&scratch.0).unwrap();
        let (root, dir) = (top.join("repo"), top.join("repo/a/app"));
        let name = |written: &str, prefix: &str, path: &str| {
            let written = root.join(written);
            let mut reader = Reader::new(&dir, &root, Shown { prefix: Path::new(prefix), written: &written });
            let number = reader.file(&dir.join(path))?;
            assert!(reader.text(number).is_some(), "{path}");
            Some(reader.into_files()[number].shown.display().to_string())
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
        let root = fs::canonicalize(scratch.0.join("repo")).unwrap();
        let mut reader = Reader::new(&root, &root, Shown { prefix: Path::new(""), written: &root });
        for name in ["large", "bytes"] {
            let number = reader.file(&root.join(name)).unwrap();
            assert_eq!(reader.text(number), None, "{name}");
            assert_eq!(reader.file(&root.join(name)), Some(number), "{name}");
        }
    }
}
