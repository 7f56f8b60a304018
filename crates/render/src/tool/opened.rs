//! Determines which folders and files of a repository the tools may open: all except files of git (`.git`), at any
//! depth.
//!
//! A rule of Landlock allows a folder with everything below it (`crates/confined/src/linux/landlock.rs`). So a folder
//! with `.git` in it, at any depth, is not on the list; its other entries are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use checkout::repository::GIT;
use confined::Deadline;
use walkdir::WalkDir;

use crate::tool::error::RenderError;
use crate::tool::walk::in_time;

/// The paths that tools may open, by the root of the repository; empty until a tool runs there.
#[derive(Debug, Default)]
pub struct Opened(Mutex<BTreeMap<PathBuf, Arc<[PathBuf]>>>);

impl Opened {
    /// The result of `opened`, computed once for each repository.
    pub(super) fn of(&self, root: &Path, deadline: Deadline) -> Result<Arc<[PathBuf]>, RenderError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = known.get(root) {
            return Ok(Arc::clone(open));
        }
        let open: Arc<[PathBuf]> = opened(root, deadline)?.into();
        known.insert(root.to_owned(), Arc::clone(&open));
        Ok(open)
    }
}

/// The paths that may be opened with everything below them; none contains another. Only `root` if nothing in it is
/// named `.git`. `root` must be free of symlinks. Symlinks are not on the list, but their targets in the repository
/// are. A folder that cannot be listed is not on the list.
fn opened(root: &Path, deadline: Deadline) -> Result<Vec<PathBuf>, RenderError> {
    let mut closed = BTreeSet::new();
    let mut walk = WalkDir::new(root).min_depth(1).into_iter();
    while let Some(entry) = walk.next() {
        in_time(deadline)?;
        match entry {
            Ok(entry) if entry.file_name() == GIT => {
                closed.insert(entry.path().to_owned());
                if entry.file_type().is_dir() {
                    walk.skip_current_dir();
                }
            }
            Ok(_) => {}
            Err(error) => closed.extend(error.path().map(Path::to_owned)),
        }
    }
    let above = closed.iter().flat_map(|path| path.ancestors().skip(1).take_while(|above| above.starts_with(root)));
    let above: BTreeSet<&Path> = above.collect();
    if above.is_empty() {
        return Ok(vec![root.to_owned()]);
    }
    let mut open = Vec::new();
    for folder in &above {
        let entries = match fs::read_dir(folder) {
            // Another process has removed the folder since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(|error| RenderError::Unreadable((*folder).to_owned(), error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| RenderError::Unreadable((*folder).to_owned(), error))?;
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !is_link && !closed.contains(&path) && !above.contains(&*path) {
                open.push(path);
            }
        }
    }
    open.sort();
    Ok(open)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use scratch::Scratch;
    use system::{PathText, canonical};

    fn shown(scratch: &Scratch) -> Vec<String> {
        let root = canonical(scratch.0.join("repo")).unwrap();
        let open = opened(&root, Deadline::after(Duration::from_secs(60))).unwrap();
        open.iter().map(|path| path.strip_prefix(&root).unwrap().shown().to_string()).collect()
    }

    #[test]
    fn nothing_that_git_keeps_is_open() {
        let scratch = Scratch::with(&["repo/app/a", "repo/lib/b/c"]);
        assert_eq!(shown(&scratch), [""]);
        let more =
            |scratch: Scratch, files: &[&str]| files.iter().fold(scratch, |scratch, file| scratch.file(file, ""));
        let scratch = more(scratch, &["repo/.git/HEAD", "repo/.github/x", "repo/top"]).link("repo/link", ".git");
        assert_eq!(shown(&scratch), [".github", "app", "lib", "top"]);
        // A submodule contains a file `.git`; a clone inside of the checkout contains a folder.
        let scratch = more(scratch, &["repo/lib/sub/.git", "repo/lib/sub/x", "repo/lib/clone/.git/config"]);
        assert_eq!(shown(&scratch), [".github", "app", "lib/b", "lib/sub/x", "top"]);
    }

    #[test]
    fn looking_through_a_repository_ends_at_the_deadline() {
        let scratch = Scratch::with(&["repo/a"]);
        let open = opened(&scratch.0, Deadline::after(Duration::ZERO));
        assert!(matches!(open, Err(RenderError::NotReadInTime)));
    }
}
