//! Walks through the folders of a repository during a rendering. It visits each real folder once, however many
//! symlinks lead to it, and fails at the deadline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use checkout::repository::GIT;
use confined::Deadline;
use walkdir::{DirEntry, WalkDir};

use crate::tool::error::RenderError;

/// A walk below one root.
pub(crate) struct Walk<'r> {
    root: &'r Path,
    deadline: Deadline,
    /// The folders visited so far.
    seen: BTreeSet<PathBuf>,
}

impl<'r> Walk<'r> {
    /// A walk in the repository with this root; it must be finished before the deadline.
    pub(crate) fn new(root: &'r Path, deadline: Deadline) -> Self {
        Self { root, deadline, seen: BTreeSet::new() }
    }

    /// Calls `visit` for `top` and for everything below it, sorted by name; but not for folders of an earlier call,
    /// and not for `.git`. `top` must be absolute and without symlinks. Symlinks are visited, but not followed. Fails
    /// when a folder cannot be listed.
    pub(crate) fn visit(
        &mut self,
        top: &Path,
        mut visit: impl FnMut(&DirEntry) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        let seen = &mut self.seen;
        let is_new = |entry: &DirEntry| {
            entry.file_name() != GIT && (!entry.file_type().is_dir() || seen.insert(entry.path().to_owned()))
        };
        for entry in WalkDir::new(top).sort_by_file_name().into_iter().filter_entry(is_new) {
            in_time(self.deadline)?;
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(top);
                RenderError::Unreadable(path.strip_prefix(self.root).unwrap_or(path).to_owned(), error.into())
            })?;
            visit(&entry)?;
        }
        Ok(())
    }
}

/// Fails if the deadline of the rendering has passed. Code that reads files without a walk calls this for each file.
pub(crate) fn in_time(deadline: Deadline) -> Result<(), RenderError> {
    if deadline.is_over() { Err(RenderError::NotReadInTime) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use scratch::Scratch;
    use system::{PathText, canonical};

    #[test]
    fn each_folder_is_visited_once() {
        let scratch = Scratch::with(&["a/.git/HEAD", "a/b/c/file", "a/d"]).link("a/b/link", "..");
        let root = canonical(&scratch.0).unwrap();
        let mut walk = Walk::new(&root, Deadline::after(Duration::from_secs(60)));
        let mut visited = |top: &str| {
            let mut found = Vec::new();
            let outcome = walk.visit(&root.join(top), |entry| {
                found.push(entry.path().strip_prefix(&root).unwrap().shown().to_string());
                Ok(())
            });
            outcome.map(|()| found.join(" "))
        };
        assert_eq!(visited("a/b/c").unwrap(), "a/b/c a/b/c/file");
        assert_eq!(visited("a").unwrap(), "a a/b a/b/link a/d");
        assert_eq!(visited("a/b").unwrap(), "");
        assert!(matches!(visited("gone"), Err(RenderError::Unreadable(path, _)) if path == Path::new("gone")));
    }

    #[test]
    fn a_walk_ends_with_the_time() {
        let scratch = Scratch::with(&["a"]);
        let mut walk = Walk::new(&scratch.0, Deadline::after(Duration::ZERO));
        assert!(matches!(walk.visit(&scratch.0, |_| Ok(())), Err(RenderError::NotReadInTime)));
    }
}
