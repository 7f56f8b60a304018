//! Each dependency says what it is for. Which licences and sources are allowed is in `deny.toml`.

use std::fs;
use std::process::Command;

use super::root;

#[test]
fn every_dependency_says_what_it_is_for() {
    let page = fs::read_to_string(root().join("DEPENDENCIES.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let is_list = |section: &&str| section.starts_with("workspace.dependencies]\n");
    let section = manifest.split("\n[").find(is_list).expect("Cargo.toml is not written as expected");
    let named = section.lines().skip(1).filter_map(|line| line.split_once(" = "));
    let others: Vec<&str> = named.filter(|(_, is)| !is.contains("path = ")).map(|(name, _)| name).collect();
    assert!(others.len() > 20, "{others:?}");
    for name in others {
        assert!(page.contains(&format!("| `{name}` |")), "DEPENDENCIES.md does not say what {name} is for");
    }
}

/// Runs cargo in the repository and returns what it prints.
pub(super) fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
