//! The files of this repository that texts name: they exist.

use std::ffi::OsStr;
use std::fs;

use regex_lite::Regex;

use super::contributing::missing_paths;
use super::root;

/// The texts that name files of the code, and folders with such texts. CONTRIBUTING.md has a test of its own.
const TEXTS: [&str; 12] = [
    ".cargo/mutants.toml",
    ".ci/run",
    "Cargo.toml",
    "DEPENDENCIES.md",
    "SECURITY.md",
    "clippy.toml",
    "docs",
    "fuzz",
    "interop",
    "release",
    "testdata/README.md",
    "tests",
];

#[test]
fn every_path_that_a_text_names_exists() {
    let path = Regex::new(r"(^|[^A-Za-z0-9_./<-])(?:\.\./)*((src|crates)/[A-Za-z0-9_./-]*[A-Za-z0-9_])").unwrap();
    let root = root();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for text in TEXTS {
        let is_text = |name: &OsStr| name != "target" && name != "tidy";
        let entries = walkdir::WalkDir::new(root.join(text)).into_iter();
        for entry in entries.filter_entry(|entry| is_text(entry.file_name())).map(Result::unwrap) {
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            for named in path.captures_iter(&text) {
                count += 1;
                let missing = missing_paths(&named[2]);
                wrong.extend(missing.iter().map(|path| format!("{}: {path}", entry.path().display())));
            }
        }
    }
    assert!(count > 60, "only {count} paths");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
