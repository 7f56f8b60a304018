//! Paths without symlinks.

use std::path::{Path, PathBuf};

use checkout::clean;
use system::canonical;

/// A path without symlinks. If the path does not exist, the folders above it that exist are without symlinks.
pub fn real(path: &Path) -> PathBuf {
    let real = |above: &Path| Some(canonical(or_here(above)).ok()?.join(path.strip_prefix(above).ok()?));
    path.ancestors().find_map(real).map_or_else(|| path.to_owned(), |real| clean(&real))
}

/// Replaces an empty path by `.`.
pub(crate) fn or_here(dir: &Path) -> &Path {
    if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
}
