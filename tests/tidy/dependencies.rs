//! Each dependency says what it is for, and the package holds what the program is built of. Which licences and sources are allowed is in
//! `deny.toml`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_dependency_says_what_it_is_for() {
    let page = fs::read_to_string(root().join("DEPENDENCIES.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let sections: Vec<&str> = manifest.split("\n[").filter(|section| is_of_the_program(section)).collect();
    assert_eq!(sections.len(), 3, "Cargo.toml is not written as expected");
    let lines = sections.iter().flat_map(|section| section.lines().skip(1));
    for name in lines.filter_map(|line| line.split_once(" = ").map(|(name, _)| name)) {
        assert!(page.contains(&format!("| `{name}` |")), "DEPENDENCIES.md does not say what {name} is for");
    }
}

/// True for the sections of `Cargo.toml` that list what the program is made of, on all platforms and on one.
fn is_of_the_program(section: &str) -> bool {
    let name = section.split("]\n").next().unwrap_or("");
    name == "dependencies" || (name.starts_with("target.") && name.ends_with(".dependencies"))
}

/// The package is what is published: all that the program is built of, and no test data.
#[test]
fn the_package_holds_the_program() {
    let listed = cargo(&["package", "--list", "--allow-dirty", "--offline"]);
    let listed: BTreeSet<&str> = listed.lines().collect();
    let sources: Vec<String> = super::source_files()
        .iter()
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned())
        .collect();
    let needed = ["Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "plugin.yaml"];
    for file in sources.iter().map(String::as_str).chain(needed) {
        assert!(listed.contains(file), "the package lacks {file}");
    }
    let data: Vec<_> = listed.iter().filter(|file| file.starts_with("test") || file.starts_with("interop")).collect();
    assert!(data.is_empty(), "the package holds {data:?}");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs cargo in the repository and returns what it prints.
pub(super) fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
