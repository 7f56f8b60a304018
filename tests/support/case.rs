//! The golden cases below `testdata/`, as the library finds them, and their manifests.

use std::path::{Path, PathBuf};

use golden::{Case, case};

/// All cases under `testdata/`, sorted by name.
pub(crate) fn all() -> Vec<Case> {
    case::find(&root(), "").unwrap()
}

/// `testdata/`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The files in `in/`, at any depth, that Argo CD could read as manifests, and the file for standard input.
pub(crate) fn inputs(case: &Case) -> Vec<PathBuf> {
    let mut found = manifests_under(&case.dir.join("in"));
    found.extend(case.input.clone().filter(|input| !found.contains(input)));
    found
}

/// The sorted `.yaml`, `.yml` and `.json` files under `dir`; empty when there is no such folder. Links are not
/// followed.
pub(crate) fn manifests_under(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|ext| ["yaml", "yml", "json"].iter().any(|known| ext == *known)))
        .collect();
    found.sort();
    found
}
