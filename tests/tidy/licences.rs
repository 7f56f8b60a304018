//! The licences of what is linked into the released program, in `THIRD-PARTY-LICENSES.txt`, which every archive, wheel and image has.
//! `UPDATE=1 cargo test --test tidy` writes it, from the files in the crates themselves.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::dependencies::cargo;
use super::root;

/// What every released program is linked from, dynamically or statically: the programs for other systems use a part of these crates.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What the file begins with. The crates do not name what the toolchain links in.
const HEAD: &str = "\
argocd-jobs is licensed under the Apache License 2.0, which is in the file LICENSE. It is linked from the software below, whose
licences allow this on the condition that their texts go with it.

- The standard library of Rust (https://github.com/rust-lang/rust), under the MIT license or the Apache License 2.0.
- The programs for Linux: the GNU C library (https://www.gnu.org/software/libc/), under the GNU Lesser General Public License 2.1 or later,
  whose text is at the end. It is linked statically and unchanged. You may link the program with another version of it: the sources of
  argocd-jobs are public, and `release/build` in them builds this program.
- The crates (https://crates.io) whose names stand above each text. Of those that leave the choice, the MIT license was chosen.
";

const LINE: &str = "\n================================================================================\n";

#[test]
fn the_licences_of_third_parties_are_up_to_date() {
    // Elsewhere the crates for Linux may not be on the machine.
    if cfg!(target_os = "linux") {
        let lgpl = fs::read_to_string(root().join("release/LGPL-2.1.txt")).unwrap();
        let mut wanted = HEAD.to_owned();
        for (text, crates) in sorted(texts()) {
            write!(wanted, "{LINE}{}{LINE}\n{text}\n", crates.join("\n")).unwrap();
        }
        write!(wanted, "{LINE}The GNU C library, in the programs for Linux{LINE}\n{}\n", lines(&lgpl)).unwrap();
        super::keep("THIRD-PARTY-LICENSES.txt", "", "\0", &wanted);
    }
}

#[test]
fn the_dockerfile_has_the_licences() {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    assert!(text.contains("COPY THIRD-PARTY-LICENSES.txt /THIRD-PARTY-LICENSES.txt\n"));
}

/// The texts of licences, each with the crates that have it word by word.
fn texts() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version, folder) in crates() {
        let files = licence_files(Path::new(&folder));
        assert!(!files.is_empty(), "{name} {version} has no licence file: write to its authors, or add its text here");
        for text in files {
            found.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    found
}

/// In the order of the first crate that has each text.
fn sorted(texts: BTreeMap<String, Vec<String>>) -> Vec<(String, Vec<String>)> {
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1));
    texts
}

/// Name, version and folder of every crate that `cargo tree` names for the released program, but this one.
fn crates() -> Vec<(String, String, String)> {
    let tree = [
        "tree",
        "--package=argocd-jobs",
        "--locked",
        "--offline",
        "--edges=normal,build",
        "--target",
        TARGET,
        "--prefix=none",
    ];
    let tree = cargo(&[&tree[..], &["--format={p}"]].concat());
    let named = |name: &str, version: &str| tree.lines().any(|line| line.starts_with(&format!("{name} v{version}")));
    let metadata = ["metadata", "--locked", "--offline", "--format-version=1", "--filter-platform", TARGET];
    let metadata: Value = serde_json::from_str(&cargo(&metadata)).unwrap();
    let mut crates = Vec::new();
    for package in metadata["packages"].as_array().unwrap().iter().filter(|package| !package["source"].is_null()) {
        let [name, version, manifest] = ["name", "version", "manifest_path"].map(|key| package[key].as_str().unwrap());
        if named(name, version) {
            crates.push((name.to_owned(), version.to_owned(), manifest.trim_end_matches("Cargo.toml").to_owned()));
        }
    }
    crates.sort();
    crates
}

/// The texts that a crate has to be given on with: that of MIT where it is one of several, and notices.
fn licence_files(folder: &Path) -> Vec<String> {
    let is_text = |name: &str| ["LICEN", "NOTICE"].iter().any(|begin| name.to_uppercase().starts_with(begin));
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = all.filter(|name| is_text(name)).collect();
    names.sort();
    if names.iter().any(|name| name.contains("MIT")) {
        // Those of a second licence that holds together with it, as the tables of Unicode do.
        names.retain(|name| ["MIT", "NOTICE", "UNICODE"].iter().any(|word| name.to_uppercase().contains(word)));
    } else if names.iter().any(|name| name.contains("APACHE")) {
        names.retain(|name| ["APACHE", "NOTICE"].iter().any(|word| name.to_uppercase().contains(word)));
    }
    names.iter().map(|name| lines(&fs::read_to_string(folder.join(name)).unwrap())).collect()
}

/// A text without spaces at the ends of its lines, and without empty lines around it.
fn lines(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}
