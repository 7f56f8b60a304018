//! The oldest compiler in `Cargo.toml`, and every place that names it. The version of the program is one of the `coordinates`.

use std::fs;

use super::root;

/// The oldest compiler, as major and minor version.
fn rust_version() -> (u32, u32) {
    version(env!("CARGO_PKG_RUST_VERSION")).unwrap()
}

#[test]
fn the_image_is_built_with_a_compiler_that_is_new_enough() {
    let named = named_after("Dockerfile", "/rust:");
    assert!(named >= rust_version(), "Dockerfile names Rust {named:?}, Cargo.toml {:?}", rust_version());
}

#[test]
fn the_documents_name_the_oldest_compiler() {
    assert_eq!(named_after("CONTRIBUTING.md", "Rust "), rust_version(), "CONTRIBUTING.md");
    assert_eq!(named_after("DEPENDENCIES.md", "Rust "), rust_version(), "DEPENDENCIES.md");
}

/// `release/check-tag` prints such a section as the text of the release.
#[test]
fn the_text_of_a_release_fits_on_one_screen() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let sections: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert!(!sections.is_empty());
    for section in sections {
        let (heading, lines) = (section.lines().next().unwrap(), section.lines().count());
        assert!(
            lines <= 40,
            "CHANGELOG.md: {heading} has {lines} lines: say what a user can do, not each line of history"
        );
    }
}

/// The first version in `file` that follows `words`.
fn named_after(file: &str, words: &str) -> (u32, u32) {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let named = text.split(words).skip(1).find_map(version);
    named.unwrap_or_else(|| panic!("{file} names no version after {words:?}"))
}

/// The major and minor version with which a text begins.
fn version(text: &str) -> Option<(u32, u32)> {
    let digits = text.split(|char: char| !char.is_ascii_digit() && char != '.').next()?;
    let mut numbers = digits.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[test]
fn versions_are_read_from_the_beginning_of_a_text() {
    assert_eq!(version("1.95\n"), Some((1, 95)));
    assert_eq!(version("1.88, or newer"), Some((1, 88)));
    assert_eq!(version("toolchain"), None);
}
