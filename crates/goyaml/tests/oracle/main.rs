//! goyaml reads what Argo CD reads: `testdata/oracle` has the readings of Argo CD's own decoder of 105 tricky documents.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod recorded;

use std::fs;
use std::path::Path;

/// The folder with the record.
fn oracle() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/oracle"))
}

#[test]
fn every_document_is_read_or_refused_as_argo_cd_does() {
    assert_eq!(recorded::misread(oracle()), None);
}

#[test]
fn the_laws_of_reading_hold_for_every_document() {
    let mut count = 0;
    for entry in fs::read_dir(oracle().join("documents")).unwrap() {
        let Ok(text) = fs::read_to_string(entry.unwrap().path()) else { continue };
        assert_eq!(recorded::broken(&text), None);
        count += 1;
    }
    assert!(count > 90, "only {count} documents");
}
