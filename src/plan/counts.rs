//! How many objects there may be. Every object takes memory, however small it is.
//!
//! `check` and `preview` know all objects at once: up to 1,000 bytes for an object, and 6,000 for a Job. `generate` takes up to 580 bytes for
//! a Job, and as many for a file. With these limits that is within 64 MiB and 8 bytes, or for `generate` 3 bytes, for each byte of the
//! manifests.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use super::problem::PART;

/// How many there may be in manifests of whatever size, and for how many bytes of the manifests one more.
pub(super) type Most = (usize, usize);

/// How many there may be in manifests of this many bytes in total.
pub(super) fn most((most, bytes_for_one_more): Most, bytes: usize) -> usize {
    most + bytes / bytes_for_one_more
}

/// For whom there are too many, with a verb, and what to do about it.
type Who = (&'static str, &'static str);

/// The Jobs that are written.
const WRITTEN: Most = (50_000, 512);

/// The Jobs that are kept.
const JOBS: Most = (6_000, 2_048);

/// The objects that are kept, with the Jobs.
const OBJECTS: Most = (16_000, 256);

/// The keys and values of all Jobs that are kept.
const NODES: Most = (400_000, 8);

/// What some manifests have, as far as it was counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// How many bytes the manifests have.
    bytes: usize,
    written: AtomicUsize,
    jobs: AtomicUsize,
    objects: AtomicUsize,
    nodes: AtomicUsize,
}

impl Counts {
    /// Counts of zero, for manifests of this many bytes in total.
    pub(super) fn of(bytes: usize) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// How many bytes the manifests have.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts a Job that is read to be written.
    pub(super) fn add_written(&self) {
        self.written.fetch_add(1, Relaxed);
    }

    /// Counts the objects of a document, with the Jobs among them and the keys and values of these.
    pub(super) fn add(&self, objects: usize, jobs: usize, nodes: usize) {
        self.objects.fetch_add(objects, Relaxed);
        self.jobs.fetch_add(jobs, Relaxed);
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// True when the Jobs that were counted may be planned.
    pub(super) fn may_plan(&self) -> bool {
        !self.is_exceeded(&self.written, WRITTEN)
    }

    /// True when the plans of the Jobs that were counted may be kept.
    pub(super) fn may_keep_plans(&self) -> bool {
        !self.is_exceeded(&self.written, JOBS)
    }

    /// True when all that was counted may be kept.
    pub(super) fn may_keep(&self) -> bool {
        self.exceeded(true).is_none()
    }

    /// The first count that is too large: with its limit, what is counted, and for whom it is too much. `keeps` says whether objects are
    /// kept.
    fn exceeded(&self, keeps: bool) -> Option<(&AtomicUsize, Most, &'static str, Who)> {
        const GENERATE: Who = ("`generate` writes", "split the Application");
        const BOTH: Who = ("`check` and `preview` read", PART);
        let all = [
            (&self.written, WRITTEN, "Jobs", GENERATE),
            (&self.written, JOBS, "Jobs", BOTH),
            (&self.jobs, JOBS, "Jobs", BOTH),
            (&self.objects, OBJECTS, "objects", BOTH),
            (&self.nodes, NODES, "keys and values in Jobs", BOTH),
        ];
        let own = if keeps { &all[1..] } else { &all[..1] };
        own.iter().find(|(counter, most, ..)| self.is_exceeded(counter, *most)).copied()
    }

    /// What is wrong when a source has too many.
    pub(super) fn excess(&self, keeps: bool) -> Option<Problem> {
        let (counter, most, what, who) = self.exceeded(keeps)?;
        Some(Problem::too_many((counter.load(Relaxed), what), who, self.most(most)))
    }

    /// What is wrong when all sources together have too many. It does not say how many there are: once there are too many, not everything is
    /// counted.
    pub(super) fn excess_of_all(&self) -> Option<Problem> {
        let problem = |_| Problem::too_many_of_all([OBJECTS, JOBS, NODES].map(|most| self.most(most)));
        self.exceeded(true).map(problem)
    }

    fn is_exceeded(&self, counter: &AtomicUsize, most: Most) -> bool {
        counter.load(Relaxed) > self.most(most)
    }

    /// How many there may be in these manifests.
    fn most(&self, of: Most) -> usize {
        most(of, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(counts: &Counts, keeps: bool) -> Option<String> {
        counts.excess(keeps).map(|problem| problem.message)
    }

    #[test]
    fn more_may_be_counted_in_larger_manifests() {
        // One more Job for each 512 bytes to write it, and for each 2,048 to keep it.
        let counts = Counts::of(2_047);
        assert_eq!(counts.bytes(), 2_047);
        for _ in 0..6_000 {
            counts.add_written();
        }
        assert!(counts.may_keep_plans());
        counts.add_written();
        assert!(!counts.may_keep_plans() && counts.may_plan());
        for _ in 6_001..50_003 {
            counts.add_written();
        }
        assert!(counts.may_plan() && words(&counts, false).is_none());
        counts.add_written();
        assert!(!counts.may_plan());
        let most = "`generate` writes at most 50003 in manifests of this size";
        assert_eq!(words(&counts, false), Some(format!("the manifests have 50004 Jobs: {most}")));
    }

    #[test]
    fn each_kind_has_a_limit() {
        for (jobs, objects, nodes, what, most) in [
            (6_001, 0, 0, "6001 Jobs", 6_000),
            (0, 16_001, 0, "16001 objects", 16_000),
            (0, 0, 400_001, "400001 keys and values in Jobs", 400_000),
        ] {
            let counts = Counts::of(0);
            let one = |count: usize| count.min(1);
            counts.add(objects - one(objects), jobs - one(jobs), nodes - one(nodes));
            assert!(counts.may_keep() && words(&counts, true).is_none(), "{what}");
            counts.add(one(objects), one(jobs), one(nodes));
            assert!(!counts.may_keep(), "{what}");
            let read = format!("`check` and `preview` read at most {most} in manifests of this size");
            assert_eq!(words(&counts, true), Some(format!("the manifests have {what}: {read}")));
        }
    }
}
