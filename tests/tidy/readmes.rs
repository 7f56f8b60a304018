//! Each crate has a page of its own, which its documentation begins with.

use std::fs;

use super::root;

#[test]
fn every_crate_has_a_page_of_its_own() {
    let root = root();
    let map = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    for entry in fs::read_dir(root.join("crates")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let page = fs::read_to_string(entry.path().join("README.md")).unwrap_or_default();
        let (lines, most) = (page.lines().count(), if name == "rewrite" { 40 } else { 25 });
        assert!((10..=most).contains(&lines), "crates/{name}/README.md has {lines} lines");
        assert!(page.contains("```rust\n"), "crates/{name}/README.md has no example");
        let library = fs::read_to_string(entry.path().join("src/lib.rs")).unwrap();
        let begin = "#![doc = include_str!(\"../README.md\")]\n";
        assert!(library.starts_with(begin), "crates/{name}/src/lib.rs does not begin with its page");
        assert!(map.contains(&format!("[`{name}`](crates/{name}/README.md)")), "CONTRIBUTING.md does not name {name}");
    }
}
