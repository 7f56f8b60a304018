//! How many findings there may be. Each takes up to 2,000 bytes of memory until it is printed, and what it is about can be as short as `a: 1`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::notes::Notes;
use crate::manifest::Manifest;
use crate::plan::{Problem, Reading};

/// How many findings there may be in manifests of whatever size.
const FINDINGS: usize = 10_000;

/// For how many bytes of the manifests there may be one more.
const BYTES: usize = 256;

/// Counts what is kept of the texts of documents.
#[derive(Debug)]
pub(super) struct Counted {
    most: usize,
    notes: AtomicUsize,
}

impl Counted {
    /// Of these manifests nothing is kept so far.
    pub(super) fn of(manifests: &[Manifest]) -> Self {
        let bytes: usize = manifests.iter().map(|manifest| manifest.text.len()).sum();
        Self { most: FINDINGS + bytes / BYTES, notes: AtomicUsize::new(0) }
    }

    /// How many diagnostics a rule may return: one more than there may be findings, by which it is seen that there are too many.
    pub(super) fn of_rule(&self) -> usize {
        self.most + 1
    }

    /// The notes of a document; none when there are too many of all documents.
    pub(super) fn notes(&self, reading: &Reading<'_>) -> Notes {
        let notes = Notes::of(reading, self.of_rule());
        let count = notes.diagnostics.len() + notes.comments.len();
        if self.notes.fetch_add(count, Relaxed) + count > self.most { Notes::default() } else { notes }
    }

    /// Returns the problem that is reported instead of the findings when the notes and this many diagnostics are too many.
    pub(super) fn excess(&self, diagnostics: usize) -> Option<Problem> {
        (self.notes.load(Relaxed) + diagnostics > self.most).then(|| Problem::too_many_findings(self.most))
    }
}
