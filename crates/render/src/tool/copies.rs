//! Copies of whole repositories that tools may write into. A copy is used by one rendering at a time, and by many one after the other: what a
//! rendering has changed in it is undone before the next one gets it. So a run makes at most one copy for each of its threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use confined::{Deadline, PrivateDir};
use system::Stamp;
use walkdir::WalkDir;

use crate::tool::error::RenderError;
use crate::tool::walk::in_time;
use crate::tool::work_tree::{copy, copy_entry};

/// The copies that no rendering uses at the moment, by the roots of their repositories.
#[derive(Debug, Default)]
pub struct Copies(Mutex<BTreeMap<PathBuf, Vec<Whole>>>);

/// A copy of a repository, without `.git`.
#[derive(Debug)]
struct Whole {
    /// Dropping it removes the copy, also when this process is killed.
    private: PrivateDir,
    /// Every file, link and folder of the copy as it was written, by its path below the root.
    written: BTreeMap<PathBuf, Stamp>,
}

/// A copy that one rendering uses. Dropping it gives the copy back.
#[derive(Debug)]
pub(super) struct Lease {
    copies: Arc<Copies>,
    from: PathBuf,
    /// The root of the copy.
    pub(super) root: PathBuf,
    whole: Option<Whole>,
}

impl Copies {
    /// A copy of the repository `from`, equal to it as it was when it was copied. A new one is made in `temporary`; `launcher` is the path of this
    /// program.
    pub(super) fn take(
        self: &Arc<Self>,
        from: &Path,
        (launcher, temporary): (&Path, &Path),
        deadline: Deadline,
    ) -> Result<Lease, RenderError> {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(from).and_then(Vec::pop);
        let whole = loop {
            match free() {
                None => break Whole::new(from, (launcher, temporary), deadline)?,
                Some(mut whole) => {
                    // One that cannot be restored is removed.
                    let root = whole.root()?;
                    if restore(&root, &mut whole.written, from, deadline).is_ok() {
                        break whole;
                    }
                    in_time(deadline)?;
                }
            }
        };
        let root = whole.root()?;
        Ok(Lease { copies: Arc::clone(self), from: from.to_owned(), root, whole: Some(whole) })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Without stamps it is unknown what has changed.
        if let Some(whole) = self.whole.take().filter(|whole| !whole.written.is_empty()) {
            let mut free = self.copies.0.lock().unwrap_or_else(PoisonError::into_inner);
            free.entry(self.from.clone()).or_default().push(whole);
        }
    }
}

impl Whole {
    fn new(from: &Path, (launcher, temporary): (&Path, &Path), deadline: Deadline) -> Result<Self, RenderError> {
        let private = PrivateDir::new(launcher, temporary).map_err(RenderError::PrivateDirectory)?;
        let mut whole = Self { private, written: BTreeMap::new() };
        let root = whole.root()?;
        copy(from, from, &root, deadline)?;
        whole.written = stamps(&root, deadline)?.unwrap_or_default();
        Ok(whole)
    }

    fn root(&self) -> Result<PathBuf, RenderError> {
        Ok(self.private.path().map_err(RenderError::PrivateDirectory)?.join("repository"))
    }
}

/// Removes what was added to the copy `root` since it was as in `written`, and copies again what was changed or removed.
fn restore(
    root: &Path,
    written: &mut BTreeMap<PathBuf, Stamp>,
    from: &Path,
    deadline: Deadline,
) -> Result<(), RenderError> {
    let now = stamps(root, deadline)?.ok_or_else(|| unrestored(io::ErrorKind::Unsupported.into()))?;
    let is_changed = |(path, stamp): &(&PathBuf, &Stamp)| written.get(*path) != Some(stamp);
    let changed: Vec<&PathBuf> = now.iter().filter(is_changed).map(|(path, _)| path).collect();
    for path in changed.iter().rev() {
        let place = root.join(path);
        let is_folder = fs::symlink_metadata(&place).map_err(unrestored)?.is_dir();
        let removed = if is_folder { fs::remove_dir(&place) } else { fs::remove_file(&place) };
        removed.map_err(unrestored)?;
    }
    let missing = changed.into_iter().filter(|path| written.contains_key(*path));
    let missing = missing.chain(written.keys().filter(|path| !now.contains_key(*path)));
    let missing: BTreeSet<PathBuf> = missing.cloned().collect();
    for path in missing {
        in_time(deadline)?;
        let kind = fs::symlink_metadata(from.join(&path)).map_err(unrestored)?.file_type();
        copy_entry(&path, kind, from, root).map_err(unrestored)?;
        let metadata = fs::symlink_metadata(root.join(&path)).map_err(unrestored)?;
        written.extend(Stamp::of(&metadata).map(|stamp| (path, stamp)));
    }
    Ok(())
}

fn unrestored(error: io::Error) -> RenderError {
    RenderError::PrivateDirectory(error)
}

/// The stamps of all that is below `root`; `None` where the system has none.
fn stamps(root: &Path, deadline: Deadline) -> Result<Option<BTreeMap<PathBuf, Stamp>>, RenderError> {
    let mut all = BTreeMap::new();
    for entry in WalkDir::new(root).min_depth(1) {
        in_time(deadline)?;
        let entry = entry.map_err(|error| unrestored(error.into()))?;
        let metadata = entry.metadata().map_err(|error| unrestored(error.into()))?;
        let Some(stamp) = Stamp::of(&metadata) else { return Ok(None) };
        all.insert(entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned(), stamp);
    }
    Ok(Some(all))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Duration;

    use super::*;
    use scratch::Scratch;
    use system::canonical;

    #[test]
    fn what_a_rendering_has_changed_is_undone_for_the_next_one() {
        let scratch =
            Scratch::with(&["repo/.git/HEAD", "repo/app/a", "repo/app/b", "repo/c/d/e"]).link("repo/link", "app/a");
        let dir = canonical(&scratch.0).unwrap();
        let (from, deadline) = (dir.join("repo"), Deadline::after(Duration::from_secs(60)));
        let root = dir.join("copy");
        copy(&from, &from, &root, deadline).unwrap();
        let mut written = stamps(&root, deadline).unwrap().unwrap();
        let before = written.keys().cloned().collect::<Vec<_>>();

        fs::write(root.join("app/a"), "repo/app/?").unwrap();
        fs::remove_file(root.join("app/b")).unwrap();
        fs::remove_dir_all(root.join("c")).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        fs::create_dir_all(root.join("link/charts/x")).unwrap();
        fs::write(root.join("link/charts/x/y"), "").unwrap();
        fs::hard_link(root.join("app/a"), root.join("app/z")).unwrap();

        restore(&root, &mut written, &from, deadline).unwrap();
        assert_eq!(stamps(&root, deadline).unwrap().unwrap(), written);
        assert_eq!(written.into_keys().collect::<Vec<_>>(), before);
        for name in ["app/a", "app/b", "c/d/e", "link"] {
            assert_eq!(fs::read(root.join(name)).unwrap(), fs::read(from.join(name)).unwrap(), "{name}");
        }
        assert!(fs::symlink_metadata(root.join("link")).unwrap().is_symlink());
    }
}
