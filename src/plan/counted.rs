//! How many objects there may be, counted while they are read. Every object takes memory, however small it is.
//!
//! `check` and `preview` know all objects at once: up to 1,000 bytes for an object, and 6,000 for a Job. `generate` takes up to 580 bytes for
//! a Job. With these limits that is within 64 MiB and 8 bytes, or for `generate` 3 bytes, for each byte of the manifests.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use super::problem::PART;
use crate::kubernetes::{is_job, list};
use crate::manifest::Manifest;
use crate::yaml::Document;

/// How many there may be in manifests of whatever size, and for how many bytes of the manifests one more.
type Most = (usize, usize);

/// For whom there are too many, with a verb, and what to do about it.
type Who = (&'static str, &'static str);

/// The Jobs that are written.
const WRITTEN: Most = (120_000, 256);

/// The Jobs that are kept.
const JOBS: Most = (6_000, 2_048);

/// The objects that are kept, with the Jobs.
const OBJECTS: Most = (16_000, 256);

/// The keys and values of all Jobs that are kept.
const NODES: Most = (400_000, 8);

/// What was counted so far. All are counted, also when there are too many: whether there are does not depend on which came first.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// How many bytes the manifests have.
    bytes: usize,
    /// Whether objects are kept.
    keeps: bool,
    written: AtomicUsize,
    jobs: AtomicUsize,
    objects: AtomicUsize,
    nodes: AtomicUsize,
}

impl Counted {
    /// Nothing of these manifests. `keeps` says whether their objects will be kept.
    pub(super) fn of(manifests: &[Manifest], keeps: bool) -> Self {
        Self { bytes: manifests.iter().map(|manifest| manifest.text.len()).sum(), keeps, ..Self::default() }
    }

    /// Counts a Job. True when it may be planned.
    pub(super) fn may_plan(&self) -> bool {
        self.written.fetch_add(1, Relaxed);
        !self.is_exceeded(&self.written, WRITTEN)
    }

    /// True when the plan of a Job that was counted may be kept.
    pub(super) fn may_keep_plan(&self) -> bool {
        self.keeps && !self.is_exceeded(&self.written, JOBS)
    }

    /// Counts the objects of a document; one that cannot be read counts as one. True when they may be kept.
    pub(super) fn may_keep(&self, document: Option<Document<'_>>) -> bool {
        if !self.keeps {
            return false;
        }
        let objects = document.map(list::objects).unwrap_or_default();
        self.objects.fetch_add(objects.len().max(1), Relaxed);
        for (_, job) in objects.iter().filter(|(_, object)| is_job(object)) {
            self.jobs.fetch_add(1, Relaxed);
            self.nodes.fetch_add(job.size(), Relaxed);
        }
        self.exceeded().is_none()
    }

    /// What is wrong when there are too many.
    pub(super) fn excess(&self) -> Option<Problem> {
        let (counter, most, what, who) = self.exceeded()?;
        Some(Problem::too_many(counter.load(Relaxed), what, who, self.most(most)))
    }

    /// The first count that is too large: with its limit, what is counted, and for whom it is too much.
    fn exceeded(&self) -> Option<(&AtomicUsize, Most, &'static str, Who)> {
        const GENERATE: Who = ("`generate` writes", "split the Application");
        const BOTH: Who = ("`check` and `preview` read", PART);
        let all = [
            (&self.written, WRITTEN, "Jobs", GENERATE),
            (&self.written, JOBS, "Jobs", BOTH),
            (&self.jobs, JOBS, "Jobs", BOTH),
            (&self.objects, OBJECTS, "objects", BOTH),
            (&self.nodes, NODES, "keys and values in Jobs", BOTH),
        ];
        let own = if self.keeps { &all[1..] } else { &all[..1] };
        own.iter().find(|(counter, most, ..)| self.is_exceeded(counter, *most)).copied()
    }

    fn is_exceeded(&self, counter: &AtomicUsize, most: Most) -> bool {
        counter.load(Relaxed) > self.most(most)
    }

    fn most(&self, (most, bytes): Most) -> usize {
        most + self.bytes / bytes
    }
}
