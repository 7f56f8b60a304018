//! Every file of the tests is compiled, and every module is in `tests/README.md`. `tidy` and `src/main.rs` look at the files of the library and
//! of the program.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::compiled::left_out;

/// Programs of their own, each with the file that says how it is compiled.
const BY_ANOTHER: [(&str, &str); 2] = [
    ("tests/suite/growth/counter.rs", "tests/suite/growth/build"),
    ("tests/support/without_landlock.rs", "Cargo.toml"),
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn every_file_of_the_tests_is_compiled() {
    let mut missing = left_out(&std::env::current_exe().unwrap(), &["tests"], "tests/suite/main.rs");
    for (file, compiled_by) in BY_ANOTHER {
        assert!(read(compiled_by).contains(file), "{compiled_by} does not compile {file}");
        missing.retain(|path| path != Path::new(file));
    }
    assert_eq!(missing, Vec::<PathBuf>::new(), "no `mod` names these files");
}

#[test]
fn every_module_is_in_the_readme() {
    let readme = read("tests/README.md");
    let text = read("tests/suite/main.rs");
    let modules: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    assert!(modules.len() > 20, "{modules:?}");
    let is_there = |name: &&str| readme.contains(&format!("| `{name}.rs`")) || readme.contains(&format!("| `{name}/`"));
    assert_eq!(modules.into_iter().filter(|name| !is_there(name)).collect::<Vec<_>>(), Vec::<&str>::new());
}
