//! What the sources of a run have together: of all of them no more is kept than may be kept of one.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use super::counts::{Counts, Most, most};

/// The findings that are kept. Each takes up to 2,000 bytes of memory until it is printed, and what it is about can be as short as `a: 1`.
const FINDINGS: Most = (10_000, 256);

/// How many findings manifests of this many bytes may have.
pub(crate) fn most_findings(bytes: usize) -> usize {
    most(FINDINGS, bytes)
}

/// The sources of a run. Each takes up to 5,000 bytes of memory, and twice that with `--base`.
const SOURCES: Most = (4_000, 2_048);

/// What is wrong when there are too many sources for manifests of this many bytes in total.
pub fn too_many_sources(count: usize, bytes: usize) -> Option<Problem> {
    let most = most(SOURCES, bytes);
    (count > most).then(|| Problem::too_many_sources(most))
}

/// What was counted of all sources so far. Whether it is too much does not depend on which of them came first.
#[derive(Debug, Default)]
pub struct Together {
    pub(super) counts: Counts,
    findings: AtomicUsize,
}

impl Together {
    /// Counts of zero, for sources whose manifests have this many bytes in total.
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
