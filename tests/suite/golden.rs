//! Runs every case under `testdata/`; `testdata/README.md` describes the format of a case.
//!
//! `UPDATE=1 cargo test` rewrites the expected files; `CASE=text cargo test` runs only cases whose name contains
//! `text`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use golden::{self, Request};

use crate::support::{case, switches};

#[test]
fn every_case_comes_out_as_its_folder_says() {
    let request = Request {
        dir: &case::root(),
        filter: &switches::case(),
        program: &switches::program(),
        tools: &switches::programs(),
        limit: Duration::from_secs(60),
        update: switches::update(),
        in_a_case: false,
    };
    let report = golden::run(&request).unwrap_or_else(|error| panic!("{error}"));
    let errors: Vec<String> = report.errors().iter().map(ToString::to_string).collect();
    assert!(report.is_good(), "{report}{}", errors.join("\n"));
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

#[test]
fn no_folder_has_more_cases_than_a_person_can_page_through() {
    let mut cases: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for case in case::all() {
        *cases.entry(case.dir.parent().unwrap().to_owned()).or_default() += 1;
    }
    cases.retain(|_, count| *count > 40);
    assert!(cases.is_empty(), "split these by topic: {cases:?}");
}
