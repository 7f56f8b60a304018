//! A source directory in a git revision.
//!
//! Trees are read one by one, and only the needed blobs; a chart or a kustomization is rendered in a copy of the
//! whole revision (`written.rs`). A git checkout of the revision would have the same files, with three exceptions:
//! filters of `.gitattributes` (line endings, Git LFS) are not applied, links with an absolute target always lead out
//! of the repository, and submodules are empty.

mod written;
mod commit;

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use checkout::{is_pointer, repository};
use system::{canonical, file_name};
use text::hexadecimal;

use super::git::{BatchReply, NoRevision, Objects, Type};
use super::listing::Listing;
use super::vfs::{DirectoryName, Entry, Kind, Place, SourceTree};
use super::{Error, ReadError, Recurse, Surroundings, disk};
use commit::Commit;
pub use commit::Revisions;

/// A directory in another version, written to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterpart {
    /// The root of the repository in that version: a path without symlinks.
    pub root: PathBuf,
    /// The directory: the root, or a path below it.
    pub dir: PathBuf,
    /// The paths, relative to the root, that the clone lacks. Reading them fails.
    pub missing: Arc<BTreeSet<PathBuf>>,
}

/// The number of commits before a revision in which an earlier state is looked for.
const EARLIER: usize = 50;

/// The maximum number of tree entries that are read. A tree can occur any number of times in other trees, so a small
/// repository can have more files than any disk.
const MAX_ENTRIES: usize = 1 << 20;
/// The maximum length of a path in bytes: no checkout can have a longer one.
const MAX_PATH: usize = 4096;
/// The maximum size of a tree in bytes.
const MAX_TREE: u64 = 1 << 28;

/// A directory in a revision.
#[derive(Debug)]
pub(super) struct Revision {
    name: DirectoryName,
    /// The revision as the user wrote it.
    revision: String,
    commit: Arc<Commit>,
    /// What rendering needs from the caller.
    surroundings: Surroundings,
    /// The path of the directory in the revision; it ends in a slash unless it is the root.
    prefix: Vec<u8>,
    /// The number of tree entries read so far.
    entries: usize,
}

/// An entry of a tree.
struct Item {
    mode: Mode,
    name: Vec<u8>,
    id: String,
}

/// The kind of a tree entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Tree,
    File,
    Link,
    /// A submodule, which becomes an empty folder.
    Submodule,
}

impl Revision {
    /// Opens a directory in `revision`, in any form that git accepts for a commit. Starts the `git` in `tools`.
    pub(super) fn open(name: DirectoryName, revision: String, surroundings: &Surroundings) -> Result<Self, Error> {
        let dir = name.dir.as_path();
        // The directory may exist only in the revision.
        let (there, gone) = nearest(dir);
        disk::check_directory(there, there)?;
        let failed = |why| Error::Revision { dir: dir.to_owned(), why };
        let place = repository::place_of(there).map_err(|error| Error::unreadable(dir, error))?;
        let place = place.ok_or_else(|| failed(NoRevision::NoRepository))?;
        let stands_in = |top: &Path| canonical(".").is_ok_and(|working_dir| working_dir.starts_with(top));
        if repository::superproject_of(&place.top).is_some() && !stands_in(&place.top) {
            return Err(failed(NoRevision::Submodule));
        }
        let prefix = repository::prefix(&place.below.join(gone));
        let commit = surroundings.revisions.open(&place.top, &revision, &surroundings.tools).map_err(failed)?;
        Ok(Self { name, revision, commit, surroundings: surroundings.clone(), prefix, entries: 0 })
    }

    /// The id of the directory's tree; `None` when the revision does not contain the directory.
    fn directory(&mut self) -> Result<Option<String>, Error> {
        let path = self.prefix.strip_suffix(b"/").unwrap_or(&self.prefix).to_owned();
        if path.is_empty() {
            return Ok(Some(self.commit.root.clone()));
        }
        let name = self.name_of(&path);
        match self.ask_only(&name) {
            Ok(BatchReply::Object { id, kind, .. }) => Ok((kind == Type::Tree).then_some(id)),
            Ok(BatchReply::Missing) => self.check_path(&path).map(|()| None),
            Ok(_) => Ok(None),
            Err(error) => Err(self.check_path(&path).err().unwrap_or(error)),
        }
    }

    /// The id of the newest commit before this one, among its first parents, in which the directory is what it is in `HEAD`. `None` if this commit
    /// has the same one, and if none of the last [`EARLIER`] has it, or the clone lacks them.
    pub(super) fn earlier_like_head(&self) -> Option<String> {
        let path = self.prefix.strip_suffix(b"/").unwrap_or(&self.prefix);
        // In a partial clone, each missing object costs a process, so the first one ends the search.
        let id_of = |name: &[u8]| match self.ask_only(name).ok()? {
            BatchReply::Object { id, .. } => Some(Some(id)),
            _ => Some(None),
        };
        let directory = |commit: &str| id_of(&[commit.as_bytes(), b":", path].concat());
        let head = directory("HEAD")??;
        if directory(&self.commit.id)?.as_ref() == Some(&head) {
            return None;
        }
        for commit in (1..=EARLIER).map(|back| format!("{}~{back}", self.commit.id)) {
            if directory(&commit)?.as_ref() == Some(&head) {
                return id_of(commit.as_bytes())?;
            }
        }
        None
    }

    /// Fails when a tree along `path` belongs to the revision, but is missing in this clone.
    fn check_path(&mut self, path: &[u8]) -> Result<(), Error> {
        let mut tree = self.commit.root.clone();
        for name in path.split(|byte| *byte == b'/') {
            let item = self.tree(&tree)?.into_iter().find(|item| item.mode == Mode::Tree && item.name == name);
            match item {
                Some(item) => tree = item.id,
                None => return Ok(()),
            }
        }
        self.tree(&tree).map(drop)
    }

    /// Adds the entries of a tree to `found`, in order; `below` is the path of the tree in the source directory.
    fn walk(&mut self, tree: &str, below: &Path, recurse: Recurse, found: &mut Listing) -> Result<(), Error> {
        for item in self.tree(tree)? {
            let path = below.join(file_name(&item.name));
            let kind = match item.mode {
                Mode::File => Kind::File,
                Mode::Link => Kind::Link,
                Mode::Submodule => continue,
                Mode::Tree if recurse == Recurse::No => continue,
                Mode::Tree if path.as_os_str().len() > MAX_PATH => return Err(self.broken("a path is too long")),
                Mode::Tree => {
                    self.walk(&item.id, &path, recurse, found)?;
                    continue;
                }
            };
            found.add(&path, kind, |_| Place::Blob(item.id))?;
        }
        Ok(())
    }

    /// The entries of a tree, sorted by the bytes of their names.
    fn tree(&mut self, id: &str) -> Result<Vec<Item>, Error> {
        let broken = |error: io::Error| self.broken(&error.to_string());
        let bytes = self.lend(|objects| match self.commit.ask(objects, id).map_err(broken)? {
            BatchReply::Object { kind: Type::Tree, size, .. } => objects.content(size, MAX_TREE).map_err(broken),
            _ => Err(self.absent()),
        })?;
        let bytes = bytes.ok_or_else(|| self.failed(NoRevision::TooMany(MAX_ENTRIES)))?;
        // Each byte of an id is two hexadecimal digits.
        let mut items = items(&bytes, id.len() / 2).ok_or_else(|| self.broken("a tree cannot be read"))?;
        self.entries += items.len() + 1;
        if self.entries > MAX_ENTRIES {
            return Err(self.failed(NoRevision::TooMany(MAX_ENTRIES)));
        }
        // git sorts folders as if their names ended in a slash.
        items.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(items)
    }

    fn lend<T>(&self, work: impl FnOnce(&mut Objects) -> Result<T, Error>) -> Result<T, Error> {
        self.commit.lend(work).map_err(|error| self.failed(NoRevision::NotStarted(error)))?
    }

    /// Asks only for the id and type of an object.
    fn ask_only(&self, name: &[u8]) -> Result<BatchReply, Error> {
        self.lend(|objects| objects.ask_only(name).map_err(|error| self.broken(&error.to_string())))
    }

    /// git's name for a path that is relative to the root of the repository.
    fn name_of(&self, path: &[u8]) -> Vec<u8> {
        [self.commit.id.as_bytes(), b":", path].concat()
    }

    fn failed(&self, why: NoRevision) -> Error {
        Error::Revision { dir: self.name.dir.clone(), why }
    }

    fn absent(&self) -> Error {
        self.failed(NoRevision::Absent(self.revision.clone()))
    }

    fn broken(&self, words: &str) -> Error {
        self.failed(NoRevision::Broken(words.to_owned()))
    }
}

impl SourceTree for Revision {
    fn name(&self) -> &DirectoryName {
        &self.name
    }

    fn render(
        &mut self,
        renderer: render::Renderer,
        found: Option<String>,
        settings: &rewrite::settings::ApplicationSettings,
    ) -> Result<Option<rewrite::manifest::Manifest>, Error> {
        self.render_checkout(renderer, found, settings)
    }

    fn find(&mut self, name: &Path) -> Result<Option<Entry>, Error> {
        let Some(tree) = self.directory()? else { return Ok(None) };
        let item = self.tree(&tree)?.into_iter().find(|item| item.name == name.as_os_str().as_encoded_bytes());
        let kind = |mode| match mode {
            Mode::File => Kind::File,
            Mode::Link => Kind::Link,
            Mode::Tree | Mode::Submodule => Kind::Other,
        };
        Ok(item.map(|item| Entry { path: name.into(), kind: kind(item.mode), place: Place::Blob(item.id) }))
    }

    fn list(&mut self, recurse: Recurse) -> Result<Vec<Entry>, Error> {
        let mut found = Listing::of(&self.name);
        if let Some(tree) = self.directory()? {
            self.walk(&tree, Path::new(""), recurse, &mut found)?;
        }
        Ok(found.entries())
    }

    fn follow(&mut self, link: &Entry) -> Result<Option<Place>, Error> {
        let shown = self.name.file(&link.path);
        let unreadable = |error: io::Error| Error::unreadable(&shown, error);
        let path = [self.prefix.as_slice(), link.path.as_os_str().as_encoded_bytes()].concat();
        let name = self.name_of(&path);
        let asked = self.ask_only(&name);
        let asked = asked.map_err(|error| if self.commit.missing().is_empty() { error } else { self.absent() });
        match asked? {
            BatchReply::Object { id, .. } if id == self.commit.root => Err(Error::LeavesRepository(shown)),
            BatchReply::Object { id, kind, .. } => Ok((kind == Type::Blob).then_some(Place::Blob(id))),
            BatchReply::Missing | BatchReply::Dangling => Ok(None),
            BatchReply::Outside => Err(Error::LeavesRepository(shown)),
            BatchReply::Unfollowable(words) => Err(unreadable(io::Error::other(words))),
        }
    }

    fn read(&mut self, file: &Place, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let Place::Blob(file) = file else { return Err(io::Error::from(io::ErrorKind::NotFound).into()) };
        let content = self.commit.lend(|objects| match self.commit.ask(objects, file)? {
            BatchReply::Object { kind: Type::Blob, size, .. } => Ok(objects.content(size, limit)?),
            _ => Err(ReadError::PartialClone),
        })??;
        match content {
            Some(content) if is_pointer(&content) => Err(ReadError::Pointer),
            content => Ok(content),
        }
    }
}

/// The entries in the bytes of a tree, with ids of `width` bytes: `<mode> <name>`, a zero byte, the id.
fn items(mut rest: &[u8], width: usize) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    while !rest.is_empty() {
        let space = memchr::memchr(b' ', rest)?;
        let end = memchr::memchr(0, rest)?;
        let mode = match rest.get(..space)? {
            b"40000" | b"040000" => Mode::Tree,
            b"120000" => Mode::Link,
            b"160000" => Mode::Submodule,
            _ => Mode::File,
        };
        let name = rest.get(space + 1..end)?.to_owned();
        let id = rest.get(end + 1..end + 1 + width)?;
        items.push(Item { mode, name, id: hexadecimal(id) });
        rest = &rest[end + 1 + width..];
    }
    Some(items)
}

/// The nearest existing directory at or above `dir`, and the rest of the path; `dir` itself if the rest contains
/// `..`.
fn nearest(dir: &Path) -> (&Path, &Path) {
    for above in dir.ancestors().filter(|above| repository::in_working_dir(above).is_dir()) {
        let below = dir.strip_prefix(above).unwrap_or(Path::new(""));
        if below.components().all(|part| matches!(part, Component::Normal(_))) {
            return (repository::in_working_dir(above), below);
        }
    }
    (dir, Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::revision::{Repository, tools};
    use scratch::Scratch;

    #[test]
    fn no_more_entries_are_read_than_may_be() {
        let repository = Repository::of(Scratch::with(&["repo/a.yaml", "repo/b.yaml"]));
        let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
        let name = DirectoryName::new(repository.path(""), None);
        let mut revision = Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap();
        // A tree and its two files count as three entries.
        revision.entries = MAX_ENTRIES - 6;
        for _ in 0..2 {
            assert_eq!(revision.list(Recurse::No).unwrap().len(), 2);
        }
        assert_eq!(revision.entries, MAX_ENTRIES);
        for _ in 0..2 {
            let refused = revision.list(Recurse::No).unwrap_err();
            assert!(matches!(refused, Error::Revision { why: NoRevision::TooMany(MAX_ENTRIES), .. }), "{refused}");
        }
    }
}
