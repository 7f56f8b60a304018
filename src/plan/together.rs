//! What the sources of a run have together: of all of them no more is kept than may be kept of one.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use super::counts::{Counts, Most};

/// The findings that are kept. Each takes up to 2,000 bytes of memory until it is printed, and what it is about can be as short as `a: 1`.
const FINDINGS: Most = (10_000, 256);

/// The most findings that manifests of so many bytes may have.
pub(crate) fn most_findings(bytes: usize) -> usize {
    FINDINGS.0 + bytes / FINDINGS.1
}

/// What was counted of all sources so far. Whether it is too much does not depend on which of them came first.
#[derive(Debug, Default)]
pub struct Together {
    pub(super) counts: Counts,
    findings: AtomicUsize,
}

impl Together {
    /// Nothing of sources whose manifests have so many bytes.
    pub fn of(bytes: usize) -> Self {
        Self { counts: Counts::of(bytes), findings: AtomicUsize::new(0) }
    }

    /// Counts findings. True when they may be kept.
    pub(crate) fn may_keep_findings(&self, count: usize) -> bool {
        self.findings.fetch_add(count, Relaxed) + count <= self.most()
    }

    /// What is wrong when there is too much: final once all sources are counted.
    pub fn excess(&self) -> Option<Problem> {
        const WHOSE: &str = "the manifests of all sources";
        let too_many = || Problem::too_many_findings(WHOSE, self.most());
        self.counts.excess_of_all().or_else(|| (self.findings.load(Relaxed) > self.most()).then(too_many))
    }

    fn most(&self) -> usize {
        most_findings(self.counts.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_all_sources_are_counted() {
        assert_eq!(most_findings(511), 10_001);
        let together = Together::of(511);
        assert!(together.may_keep_findings(10_001) && together.excess().is_none());
        assert!(!together.may_keep_findings(1));
        let message = "the manifests of all sources have more than 10001 findings, which are not shown";
        assert_eq!(together.excess().map(|problem| problem.message), Some(message.to_owned()));
    }

    #[test]
    fn objects_of_all_sources_are_counted() {
        let together = Together::of(0);
        together.counts.add(16_001, 0, 0);
        let excess = together.excess().map(|problem| problem.message);
        let message = "the manifests of all sources have too many objects: `check` and `preview` read at most 16000, with at most 6000 Jobs and 400000 keys and values in Jobs, in manifests of this size";
        assert_eq!(excess.as_deref(), Some(message));
    }
}
