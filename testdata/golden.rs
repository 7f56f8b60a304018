//! Runs every case under `testdata/`; see `testdata/README.md` for how a case is read.
//!
//! `UPDATE=1 cargo test` rewrites the expected files; `CASE=text cargo test` runs only the cases whose name contains `text`.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and is told what to do by the environment"
)]

mod case;
mod program;
mod scratch;

use std::path::{Path, PathBuf};
use std::{env, fs};

use argocd_jobs::output::diff;
use case::Case;
use scratch::Scratch;

#[test]
fn every_case_comes_out_as_its_folder_says() {
    let only = env::var("CASE").unwrap_or_default();
    let update = env::var_os("UPDATE").is_some();
    let cases: Vec<Case> = case::all().into_iter().filter(|case| case.name.contains(&only)).collect();
    assert!(!cases.is_empty(), "no case matches CASE={only}");

    let failures: Vec<String> = cases.iter().filter_map(|case| check(case, update)).collect();
    let (failed, all) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{failed} of {all} cases differ (- wanted, + got)\n\n{}", failures.join("\n"));
}

/// Runs one case. What differs, if anything does and it was not to be written down.
fn check(case: &Case, update: bool) -> Option<String> {
    let output = run(case);
    let status = match output.status {
        Some(0) => String::new(),
        Some(code) => format!("{code}\n"),
        None => "ended by a signal\n".to_owned(),
    };
    let files = [
        (standard_output_file(&case.dir), output.stdout),
        (case.dir.join("stderr.txt"), output.stderr.into_bytes()),
        (case.dir.join("status"), status.into_bytes()),
    ];
    let mut differences = String::new();
    for (path, got) in files {
        let want = fs::read(&path).unwrap_or_default();
        if want == got {
            continue;
        }
        if update {
            write_down(&path, &got);
        } else {
            let lines = diff::unified(&String::from_utf8_lossy(&want), &String::from_utf8_lossy(&got), "wanted", "got", 2);
            differences += &format!("{}/{}\n{lines}", case.name, path.file_name().unwrap().display());
        }
    }
    (!differences.is_empty()).then_some(differences)
}

/// Starts the program in `in/`. Git keeps no empty folder, so a case without `in/` runs in an empty one made for it.
fn run(case: &Case) -> program::Output {
    let source = case.dir.join("in");
    let empty = (!source.exists()).then(Scratch::new);
    let mut command = program::program(&empty.as_ref().map_or(source, Scratch::source));
    command.args(&case.arguments).envs(case.environment.iter().map(|(key, value)| (key, value)));
    let input = case.input.as_ref().map(|input| fs::read(input).unwrap()).unwrap_or_default();
    program::run(command, &input)
}

/// `stdout.yaml`, or the file of that stem with the extension that the case prefers.
fn standard_output_file(dir: &Path) -> PathBuf {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "stdout"))
        .unwrap_or_else(|| dir.join("stdout.yaml"))
}

/// Nothing is said by no file at all.
fn write_down(path: &Path, got: &[u8]) {
    if got.is_empty() {
        fs::remove_file(path).unwrap();
    } else {
        fs::write(path, got).unwrap();
    }
}
