//! The files of this repository that texts name: they exist.

use std::fs;
use std::path::Path;

use regex_lite::Regex;

use super::contributing::missing_paths;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for text in TEXTS {
        for entry in walkdir::WalkDir::new(root.join(text)).into_iter().map(Result::unwrap) {
            let is_code =
                entry.path().components().any(|part| part.as_os_str() == "target" || part.as_os_str() == "tidy");
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            for named in path.captures_iter(&text).filter(|_| !is_code) {
                count += 1;
                let missing = missing_paths(&named[2]);
                wrong.extend(missing.iter().map(|path| format!("{}: {path}", entry.path().display())));
            }
        }
    }
    assert!(count > 60, "only {count} paths");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
