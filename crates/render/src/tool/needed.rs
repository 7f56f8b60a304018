//! Determines the parts of a repository that a tool needs, so that only these are copied: a directory, everything
//! that it refers to directly or indirectly, and the targets of symlinks in all of it. When this is not certain,
//! everything is needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use checkout::repository;
use confined::Deadline;
use system::canonical;

use crate::tool::error::RenderError;
use crate::tool::walk::{Walk, in_time};

/// The paths that a directory refers to, as `resolve` returns them; `None` when that is not certain.
pub(crate) type References<'r> = &'r dyn Fn(&Path) -> Option<Vec<PathBuf>>;

/// Directories and files reachable from `start`, without symlinks in their paths; none contains another. All are in
/// the repository with the root `root`. `None` if everything may be needed. Fails if a folder cannot be listed, or
/// the deadline has passed.
pub(crate) fn needed(
    root: &Path,
    start: Vec<PathBuf>,
    references: References<'_>,
    deadline: Deadline,
) -> Result<Option<Vec<PathBuf>>, RenderError> {
    let mut walk = Walk::new(root, deadline);
    let (mut todo, mut seen, mut parts) = (start, BTreeSet::new(), Vec::<PathBuf>::new());
    while let Some(path) = todo.pop() {
        in_time(deadline)?;
        if !repository::is_in_repository(&path, root) {
            return Ok(None);
        }
        if !seen.insert(path.clone()) {
            continue;
        }
        if path.is_dir() {
            let Some(found) = references(&path) else { return Ok(None) };
            todo.extend(found);
        }
        if parts.iter().any(|part| path.starts_with(part)) {
            continue;
        }
        walk.visit(&path, |entry| {
            if entry.path_is_symlink() {
                // Symlinks to nothing or out of the repository are not copied.
                let target = canonical(entry.path()).ok();
                todo.extend(target.filter(|target| repository::is_in_repository(target, root)));
            }
            Ok(())
        })?;
        parts.retain(|part| !part.starts_with(&path));
        parts.push(path);
    }
    Ok(Some(parts))
}

/// Resolves the path `written` in a file of the directory `dir`; `None` when the path does not exist in the
/// repository. Fails when the path goes through a symlink, which would not be copied. `dir` and `root` must be free
/// of symlinks.
pub(crate) fn resolve(dir: &Path, written: &str, root: &Path) -> Result<Option<PathBuf>, ThroughLink> {
    let path = Path::new(written);
    if written.is_empty() || path.has_root() {
        return Ok(None);
    }
    let plain = checkout::clean(&dir.join(path));
    if !repository::is_in_repository(&plain, root) {
        return Ok(None);
    }
    match canonical(dir.join(path)) {
        Ok(real) if real == plain => Ok(Some(real)),
        Ok(_) => Err(ThroughLink),
        Err(_) => Ok(None),
    }
}

/// The path goes through a symlink.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ThroughLink;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use std::fs;

    use super::*;
    use scratch::Scratch;
    use system::PathText;

    /// The parts needed for `app`, when the file `refers` in each directory lists what the directory refers to.
    fn parts(scratch: &Scratch) -> Option<Vec<String>> {
        let root = canonical(scratch.0.join("repo")).unwrap();
        let references = |dir: &Path| {
            let text = fs::read_to_string(dir.join("refers")).unwrap_or_default();
            let found = text.split_whitespace().map(|path| resolve(dir, path, &root));
            found.collect::<Result<Vec<_>, _>>().ok().map(|found| found.into_iter().flatten().collect())
        };
        let deadline = Deadline::after(Duration::from_secs(60));
        let mut parts: Vec<String> = needed(&root, vec![root.join("app")], &references, deadline)
            .unwrap()?
            .iter()
            .map(|part| part.strip_prefix(&root).unwrap().shown().to_string())
            .collect();
        parts.sort();
        Some(parts)
    }

    #[test]
    fn what_is_referred_to_and_linked_is_needed_and_nothing_else() {
        let scratch = Scratch::with(&[
            "repo/.git/HEAD",
            "repo/other/file",
            "repo/lib/a/file",
            "repo/linked/file",
            "repo/data.txt",
            "out/file",
        ])
        .file("repo/app/refers", "../base sub ../none ../../out https://example.com/x /etc .")
        .file("repo/app/sub/refers", "../../lib/a")
        .file("repo/base/refers", "../app ../data.txt")
        .link("repo/base/link", "../linked")
        .link("repo/base/out", "../../out")
        .link("repo/base/git", "../.git/HEAD");
        assert_eq!(parts(&scratch).unwrap(), ["app", "base", "data.txt", "lib/a", "linked"]);
        let scratch = scratch.file("repo/base/refers", "..");
        assert_eq!(parts(&scratch).unwrap(), [""]);
    }

    #[test]
    fn a_way_through_a_link_is_not_certain() {
        let scratch =
            Scratch::with(&["repo/real/base/file"]).file("repo/app/refers", "../link/base").link("repo/link", "real");
        assert_eq!(parts(&scratch), None);
        let scratch =
            Scratch::with(&["repo/base/file"]).file("repo/app/refers", "link").link("repo/app/link", "../base");
        assert_eq!(parts(&scratch), None);
    }
}
