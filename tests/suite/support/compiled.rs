//! Which source files a program was compiled from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// The Rust files in `folders` of the project that `program` was not compiled from, relative to the project.
///
/// The list of those that it was compiled from is the compiler's own: the file that rustc writes next to every program for cargo, which
/// compiles anew when one of them changes. Panics when there is no such file, or when it does not name `witness`.
pub(crate) fn left_out(program: &Path, folders: &[&str], witness: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = program.with_extension("d");
    let text = fs::read_to_string(&list).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    // A space in a path has a backslash before it.
    let text = text.replace("\\ ", "\0");
    let compiled: BTreeSet<PathBuf> =
        text.split_whitespace().map(|path| root.join(path.trim_end_matches(':').replace('\0', " "))).collect();
    assert!(compiled.contains(&root.join(witness)), "{} does not name {witness}", list.display());
    let entries = folders.iter().flat_map(|folder| WalkDir::new(root.join(folder)).sort_by_file_name());
    let files =
        entries.map(|entry| entry.unwrap().into_path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let missing = files.filter(|path| !compiled.contains(path));
    missing.map(|path| path.strip_prefix(root).unwrap().to_owned()).collect()
}
