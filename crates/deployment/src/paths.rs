//! Paths without symlinks, and where those may lead.

use std::path::{Path, PathBuf};

use anyhow::Result;
use checkout::{clean, repository_root};
use system::canonical;

use crate::errors::unreadable;

/// A path without symlinks. If the path does not exist, the folders above it that exist are without symlinks.
pub fn real(path: &Path) -> PathBuf {
    let real = |above: &Path| Some(canonical(or_here(above)).ok()?.join(path.strip_prefix(above).ok()?));
    path.ancestors().find_map(real).map_or_else(|| path.to_owned(), |real| clean(&real))
}

/// Replaces an empty path by `.`.
pub(crate) fn or_here(dir: &Path) -> &Path {
    if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
}

/// An error if a symlink of the path leads out of the checkout that has it. A path that does not exist, or is a pipe, is an error where it is read.
pub(crate) fn check_in_checkout(path: &Path) -> Result<()> {
    if !path.is_dir() && !path.is_file() {
        return Ok(());
    }
    repository_root(path).map(|_| ()).map_err(|error| unreadable(path, &error))
}
