//! What git knows of a working tree: its files, and the URL of its origin.

use std::collections::BTreeSet;
use std::path::Path;

use checkout::{Tools, repository};

use super::git::Git;

/// The sorted paths of the files that git tracks in the checkout at `root`, including files that a sparse checkout
/// leaves out. `None` if `root` is not the top of a working tree, or there is no git. `root` must be free of
/// symlinks.
pub fn tracked_files(root: &Path, tools: &Tools) -> Option<Vec<String>> {
    git_at(root, tools)?.tracked()
}

/// The URL of the remote `origin` of the checkout with the root `root`, which must be free of symlinks; `None`
/// without such a remote, or without git.
pub fn remote_url(root: &Path, tools: &Tools) -> Option<String> {
    git_at(root, tools)?.remote_url()
}

/// The tags of the repository of the checkout with the root `root`, which must be free of symlinks; without those that have
/// the name of a branch, here or of a remote. None without git.
pub fn tags(root: &Path, tools: &Tools) -> BTreeSet<String> {
    git_at(root, tools).and_then(|git| git.tags()).unwrap_or_default()
}

fn git_at(root: &Path, tools: &Tools) -> Option<Git> {
    repository::top_of(root).filter(|top| *top == root)?;
    Git::of(root, tools).ok()
}
