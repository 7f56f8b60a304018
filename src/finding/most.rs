//! How many findings there may be. Each takes up to 2,000 bytes of memory until it is printed, and what it is about can be as short as `a: 1`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::notes::Notes;
use crate::manifest::total_bytes;
use crate::plan::{Problem, Reading, Request, Together, most_findings};

/// Counts what is kept of the texts of documents.
#[derive(Debug)]
pub(super) struct Counted<'t> {
    most: usize,
    notes: AtomicUsize,
    together: Option<&'t Together>,
}

impl<'t> Counted<'t> {
    /// Counts of zero for the manifests of this request.
    pub(super) fn of(request: &Request<'t>) -> Self {
        Self {
            most: most_findings(total_bytes(request.manifests)),
            notes: AtomicUsize::new(0),
            together: request.together,
        }
    }

    /// How many diagnostics a rule may return: one more than there may be findings, by which it is seen that there are too many.
    pub(super) fn of_rule(&self) -> usize {
        self.most + 1
    }

    /// The notes of a document; none when there are too many of all documents.
    pub(super) fn notes(&self, reading: &Reading<'_>) -> Notes {
        let notes = Notes::of(reading, self.of_rule());
        let count = notes.diagnostics.len() + notes.comments.len();
        let may_keep = self.notes.fetch_add(count, Relaxed) + count <= self.most;
        let may_keep_of_all = self.together.is_none_or(|together| together.may_keep_findings(count));
        if may_keep && may_keep_of_all { notes } else { Notes::default() }
    }

    /// Returns the problem that is reported instead of the findings when the notes and this many diagnostics are too many.
    pub(super) fn excess(&self, diagnostics: usize) -> Option<Problem> {
        // Counted in any case, so that the outcome for all sources does not depend on the limit of this one.
        let is_of_all = self.together.is_some_and(|together| !together.may_keep_findings(diagnostics));
        if self.notes.load(Relaxed) + diagnostics > self.most {
            return Some(Problem::too_many_findings("the manifests", self.most));
        }
        self.together.filter(|_| is_of_all).and_then(Together::excess)
    }
}
