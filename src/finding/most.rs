//! How many findings there may be. Each takes up to 2,000 bytes of memory until it is printed, and what it is about can be as short as `a: 1`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::notes::Notes;
use crate::manifest::Manifest;
use crate::plan::{Problem, Reading};

/// How many findings there may be in manifests of whatever size.
const FINDINGS: usize = 10_000;

/// For how many bytes of the manifests there may be one more.
const BYTES: usize = 256;

/// How many findings there may be in these manifests.
pub(super) fn most(manifests: &[Manifest]) -> usize {
    FINDINGS + manifests.iter().map(|manifest| manifest.text.len()).sum::<usize>() / BYTES
}

/// Counts what is kept of the texts of documents.
#[derive(Debug)]
pub(super) struct Counted {
    most: usize,
    notes: AtomicUsize,
}

impl Counted {
    /// Of these manifests nothing is kept so far.
    pub(super) fn of(manifests: &[Manifest]) -> Self {
        Self { most: most(manifests), notes: AtomicUsize::new(0) }
    }

    /// The notes of a document; none when there are too many of all documents.
    pub(super) fn notes(&self, reading: &Reading<'_>) -> Notes {
        // One more, by which it is seen that there are too many.
        let notes = Notes::of(reading, self.most + 1);
        let count = notes.diagnostics.len() + notes.comments.len();
        if self.notes.fetch_add(count, Relaxed) + count > self.most { Notes::default() } else { notes }
    }

    /// Why there are no findings but this one, when there are too many with these.
    pub(super) fn excess(&self, diagnostics: usize) -> Option<Problem> {
        (self.notes.load(Relaxed) + diagnostics > self.most).then(|| Problem::too_many_findings(self.most))
    }
}
