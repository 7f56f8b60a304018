//! Every Rust file is compiled, and every module of the tests is in their README.

use std::fs;
use std::path::{Path, PathBuf};

use super::rust_files;

/// Files that no `mod` in the folder around them names, each with the file that names it otherwise.
const NAMED_BY: [(&str, &str); 9] = [
    ("src/lib.rs", "Cargo.toml"),
    ("src/main.rs", "Cargo.toml"),
    ("tests/suite/main.rs", "Cargo.toml"),
    ("tests/slow/main.rs", "Cargo.toml"),
    ("tests/support/without_landlock.rs", "Cargo.toml"),
    ("laws/mod.rs", "tests/suite/main.rs"),
    ("laws/mod.rs", "tests/slow/main.rs"),
    ("support/mod.rs", "tests/suite/main.rs"),
    ("support/mod.rs", "tests/slow/main.rs"),
];

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default()
}

/// Whether the module above a file has a `mod` for it, or a file of [`NAMED_BY`] names it.
fn is_compiled(path: &Path) -> bool {
    if let Some((file, by)) = NAMED_BY.iter().find(|(file, _)| path.ends_with(file)) {
        return read(by).contains(file);
    }
    let module = if path.ends_with("mod.rs") { path.parent().unwrap() } else { path };
    let (folder, name) = (module.parent().unwrap(), module.file_stem().unwrap().display());
    let above = [folder.join("mod.rs"), folder.join("main.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
    let wanted = format!("mod {name};");
    let names = |line: &str| line.trim_end().ends_with(&wanted) && !line.trim_start().starts_with("//");
    above.iter().any(|file| read(file).lines().any(names))
}

#[test]
fn every_file_is_compiled() {
    let files = ["src", "tests"].into_iter().flat_map(rust_files);
    let missing: Vec<PathBuf> = files.filter(|path| !is_compiled(path)).collect();
    assert!(missing.is_empty(), "no `mod` names these files: {missing:?}");
    assert!(!is_compiled(Path::new("tests/suite/nothing.rs")));
}

#[test]
fn every_module_of_the_tests_is_in_their_readme() {
    let readme = read("tests/README.md");
    for target in ["tests/suite/main.rs", "tests/slow/main.rs"] {
        let text = read(target);
        let modules: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        assert!(modules.len() > 10, "{modules:?}");
        let is_there =
            |name: &&str| readme.contains(&format!("| `{name}.rs`")) || readme.contains(&format!("| `{name}/`"));
        assert_eq!(modules.into_iter().filter(|name| !is_there(name)).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
