//! Counts the findings of `check` in real manifests: each Job of the corpus is a stream, each tree a directory with
//! all its subfolders. A count that changes without a reason is a new false alarm, or one that is gone.
//!
//! `UPDATE=1 cargo test findings::` rewrites `findings.txt`; **look at each new finding** before it is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use lint::{Analysis, RULES, State};
use rewrite::settings::{ApplicationSettings, Recurse, SourceKind};
use rewrite::version::Version;
use source::{Input, Source, Surroundings};
use text::diff;

use crate::support::{case, inputs, switches};

/// The occurrences of a finding.
#[derive(Default)]
struct Count {
    inputs: BTreeSet<String>,
    open: usize,
    solved: usize,
}

#[test]
fn findings_in_real_manifests_are_as_many_as_ever() {
    let mut counts: BTreeMap<&str, Count> = RULES.iter().map(|row| (row.id, Count::default())).collect();
    for (name, version) in streams().into_iter().chain(trees()) {
        for found in Analysis::of(&version).findings().unwrap() {
            let count = counts.get_mut(found.rule.id).unwrap();
            count.inputs.insert(name.clone());
            match found.state {
                State::Solved(_) => count.solved += 1,
                State::Open | State::Ignored(_) => count.open += 1,
            }
        }
    }
    let rows = counts
        .into_iter()
        .map(|(id, count)| format!("{id:<32}{:>8}{:>8}{:>8}\n", count.inputs.len(), count.open, count.solved));
    let got: String =
        std::iter::once(format!("{:<32}{:>8}{:>8}{:>8}\n", "", "inputs", "open", "solved")).chain(rows).collect();
    let path = case::root().join("findings.txt");
    if switches::update() {
        fs::write(&path, got).unwrap();
    } else {
        let want = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            want == got,
            "findings.txt differs (- wanted, + got)\n{}",
            diff::unified(&want, &got, "findings.txt", "got", 2)
        );
    }
}

/// Each file with Jobs, read as standard input.
fn streams() -> Vec<(String, Version)> {
    let inputs = inputs::below("corpus/jobs").into_iter().chain(inputs::below("corpus/decoys"));
    inputs.map(|input| (input.name, read(Source::stream(input.bytes)))).collect()
}

/// Each tree, read as a directory.
fn trees() -> Vec<(String, Version)> {
    let found = fs::read_dir(case::root().join("corpus/trees")).unwrap().map(|entry| entry.unwrap().path());
    let mut trees: Vec<PathBuf> = found.filter(|path| path.is_dir()).collect();
    trees.sort();
    let read = |tree: PathBuf| {
        let name = tree.file_name().unwrap().display().to_string();
        (name, read(Source::open(Input::Directory(tree), &Surroundings::default()).unwrap()))
    };
    trees.into_iter().map(read).collect()
}

/// Reads a source as a plain directory, without other settings. An input that cannot be read has no manifests.
fn read(source: Source) -> Version {
    let settings =
        ApplicationSettings { source: SourceKind::Directory, recurse: Recurse::Yes, ..ApplicationSettings::default() };
    Version::of(source.manifests(&settings).unwrap_or_default())
}
