//! How the paths of manifests are told: from where the user stands, or from the root of the repository.

use std::path::{Component, Path, PathBuf};

use argocd_jobs::manifest::Manifest;
use argocd_jobs::source;
use argocd_jobs::text::Origin;

use super::Environment;

/// From where paths are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// From the working directory, so that a terminal or an editor finds the file.
    WorkingDirectory,
    /// From the root of the checkout, which GitHub names; without it, from the working directory.
    Checkout,
}

impl Environment {
    /// What stands before the paths in the directory `dir`; empty when that is the place they are told from.
    pub(super) fn prefix(&self, dir: &Path, from: From) -> PathBuf {
        let typed = clean(dir);
        let Ok(working_dir) = std::env::current_dir() else { return typed };
        if from == From::WorkingDirectory {
            return typed;
        }
        let full = clean(&working_dir.join(&typed));
        let checkout = self.get("GITHUB_WORKSPACE").map(PathBuf::from).filter(|checkout| full.starts_with(checkout));
        full.strip_prefix(checkout.as_ref().unwrap_or(&working_dir)).map_or(typed, Path::to_owned)
    }

    /// What makes of an error about the directory `dir` one with paths from where the user stands.
    pub(super) fn placed(&self, dir: &Path) -> impl FnOnce(source::Error) -> source::Error {
        let (dir, prefix) = (dir.to_owned(), self.prefix(dir, From::WorkingDirectory));
        move |error| error.below(&dir, &prefix)
    }
}

/// Puts `prefix` before the path of every manifest.
pub(super) fn put_before(prefix: &Path, manifests: &mut [Manifest]) {
    if prefix.as_os_str().is_empty() {
        return;
    }
    for manifest in manifests {
        if let Origin::File(path) = &mut manifest.origin {
            *path = prefix.join(&path);
        }
    }
}

/// The path without `.`, and without `..` where that is possible. Says nothing of symlinks.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        let is_name = clean.components().next_back().is_some_and(|last| matches!(last, Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if is_name => {
                clean.pop();
            }
            Component::ParentDir if clean.has_root() => {}
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_path_is_short() {
        let cleaned = |path: &str| clean(Path::new(path)).display().to_string();
        assert_eq!(cleaned("./apps/../shop/."), "shop");
        assert_eq!(cleaned("../../a"), "../../a");
        assert_eq!(cleaned("/../a/"), "/a");
        assert_eq!(cleaned("."), "");
    }
}
