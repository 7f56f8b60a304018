//! What the program is made of: each dependency says what it is for, has a licence that allows its use, and comes from the
//! public registry. `deny.toml` says the same to cargo-deny, which also knows advisories; these tests need no network.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences under which a dependency may be used, by their SPDX identifiers. `deny.toml` has the same list.
const LICENCES: [&str; 3] = ["Apache-2.0", "MIT", "Unicode-3.0"];

/// Dependencies that name a file instead of a licence: crate, file, the words that the licence begins its grant with.
const LICENCE_FILES: [(&str, &str, &str); 1] =
    [("libyaml-safer", "LICENSE-MIT", "Permission is hereby granted, free of charge")];

/// The only place that dependencies come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

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

#[test]
fn every_dependency_has_a_licence_from_the_list() {
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let mut used = BTreeSet::new();
    for package in &packages() {
        let name = text(package, "name").unwrap();
        let is_allowed = match text(package, "license") {
            Some(expression) => {
                used.extend(licences(&expression).map(str::to_owned));
                allows(&expression)
            }
            None => has_licence_file(&name, &text(package, "manifest_path").unwrap()),
        };
        assert!(is_allowed, "{name}: the licence {} is not in the list", package["license"]);
    }
    let unused: Vec<_> = LICENCES.iter().filter(|licence| !used.contains(**licence)).collect();
    assert!(unused.is_empty(), "no dependency has the licence {unused:?}");
}

#[test]
fn every_dependency_comes_from_the_public_registry() {
    for file in ["Cargo.lock", "fuzz/Cargo.lock"] {
        come_from_the_registry(file);
    }
}

/// The packages of this repository.
const OWN: [&str; 2] = ["argocd-jobs", "argocd-jobs-fuzz"];

fn come_from_the_registry(file: &str) {
    let lock = fs::read_to_string(root().join(file)).unwrap();
    let packages: Vec<&str> = lock.split("[[package]]\n").skip(1).collect();
    assert!(packages.len() > 10, "{file} is not written as expected");
    for package in packages {
        let field = |key: &str| package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        let name = field("name").unwrap();
        if OWN.contains(&name.trim_matches('"')) {
            continue;
        }
        assert_eq!(field("source"), Some(format!("\"{REGISTRY}\"").as_str()), "{file}: the source of {name}");
        assert!(field("checksum").is_some(), "{file}: {name} has no checksum");
    }
}

#[test]
fn cargo_deny_gets_the_same_policy() {
    let deny = fs::read_to_string(root().join("deny.toml")).unwrap();
    let quoted: Vec<String> = LICENCES.iter().map(|licence| format!("\"{licence}\"")).collect();
    let allow = format!("\nallow = [{}]\n", quoted.join(", "));
    assert!(deny.contains(&allow), "deny.toml has to say{allow}");
    let registry = format!("\nallow-registry = [\"{}\"]\n", REGISTRY.trim_start_matches("registry+"));
    assert!(deny.contains(&registry), "deny.toml has to say{registry}");
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

/// The packages that this program is built of on this platform. Others may not be on this machine.
fn packages() -> Vec<Value> {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = cargo(&["metadata", "--locked", "--offline", "--format-version=1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Runs cargo in the repository and returns what it prints.
pub(super) fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn has_licence_file(name: &str, manifest_path: &str) -> bool {
    LICENCE_FILES.iter().filter(|(package, ..)| *package == name).any(|(_, file, words)| {
        let path = Path::new(manifest_path).with_file_name(file);
        fs::read_to_string(path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ").starts_with(words)
    })
}

/// True when an SPDX expression can be met with the licences of the list. AND is read as the outermost operator, whatever the
/// parentheses say, which can only refuse too much.
fn allows(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim())))
}

/// The licences that an SPDX expression names.
fn licences(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(['(', ')', '/', ' ']).filter(|word| !matches!(*word, "" | "AND" | "OR"))
}

#[test]
fn licence_expressions_are_read_as_spdx_does() {
    assert!(allows("MIT OR GPL-3.0-only"));
    assert!(allows("Unlicense/MIT"));
    assert!(allows("(MIT OR BSL-1.0) AND Unicode-3.0"));
    assert!(!allows("GPL-3.0-only"));
    assert!(!allows("MIT AND GPL-3.0-only"));
    assert!(!allows("Apache-2.0 WITH LLVM-exception"));
    assert!(!allows(""));
}
