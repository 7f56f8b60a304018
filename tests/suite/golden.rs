//! Runs every case under `testdata/`; see `testdata/README.md` for how a case is read.
//!
//! `UPDATE=1 cargo test` rewrites the expected files; `CASE=text cargo test` runs only the cases whose name contains `text`.

#![allow(clippy::disallowed_methods, reason = "the environment says what the test does")]

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use argocd_jobs::golden::{self, Request};
use argocd_jobs::source::Tools;

use crate::support::case;

#[test]
fn every_case_comes_out_as_its_folder_says() {
    let request = Request {
        dir: &case::root(),
        filter: &env::var("CASE").unwrap_or_default(),
        program: Path::new(env!("CARGO_BIN_EXE_argocd-jobs")),
        tools: &Tools::of(&env::vars().collect()),
        limit: Duration::from_secs(60),
        update: env::var_os("UPDATE").is_some(),
        in_a_case: false,
    };
    let report = golden::run(&request).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"))
    });
    assert!(report.is_good(), "{report}");
}

#[test]
fn every_case_says_what_it_shows() {
    let silent: Vec<String> = case::all()
        .into_iter()
        .filter(|case| !fs::read_to_string(case.dir.join("case")).is_ok_and(|text| text.starts_with("# ")))
        .map(|case| case.name)
        .collect();
    assert!(silent.is_empty(), "`case` has to begin with a line `# what this shows` in {silent:?}");
}
