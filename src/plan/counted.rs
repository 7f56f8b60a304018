//! How many objects there may be, counted while they are read. Every object takes memory, however small it is.
//!
//! `check` and `preview` know all objects at once: up to 1,000 bytes for an object, and 6,000 for a Job. `generate` takes up to 580 bytes for
//! a Job, and as many for a file. With these limits that is within 64 MiB and 8 bytes, or for `generate` 3 bytes, for each byte of the
//! manifests.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use super::problem::PART;
use super::together::Together;
use crate::kubernetes::{is_job, list};
use crate::manifest::Manifest;
use crate::yaml::Document;

/// How many there may be in manifests of whatever size, and for how many bytes of the manifests one more.
pub(super) type Most = (usize, usize);

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
    /// Nothing of manifests with so many bytes.
    pub(super) fn of(bytes: usize) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// How many bytes the manifests have.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
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

    /// What is wrong when there are too many; `whose` they are.
    pub(super) fn excess(&self, whose: &str, keeps: bool) -> Option<Problem> {
        let (counter, most, what, who) = self.exceeded(keeps)?;
        Some(Problem::too_many(whose, (counter.load(Relaxed), what), who, self.most(most)))
    }

    fn is_exceeded(&self, counter: &AtomicUsize, most: Most) -> bool {
        counter.load(Relaxed) > self.most(most)
    }

    /// How many there may be in manifests of this size.
    fn most(&self, (most, bytes): Most) -> usize {
        most + self.bytes / bytes
    }
}

/// What the manifests of one source have, and all sources together. All of it is counted, also when there is too much: whether there is does
/// not depend on what came first.
#[derive(Debug)]
pub(super) struct Counted<'t> {
    own: Counts,
    /// Whether objects are kept.
    keeps: bool,
    together: Option<&'t Together>,
}

impl<'t> Counted<'t> {
    /// Nothing of these manifests, whose objects will not be kept.
    pub(super) fn of(manifests: &[Manifest]) -> Self {
        let own = Counts::of(manifests.iter().map(|manifest| manifest.text.len()).sum());
        Self { own, keeps: false, together: None }
    }

    /// The same of manifests whose objects will be kept, with those of other sources or without.
    pub(super) fn kept(manifests: &[Manifest], together: Option<&'t Together>) -> Self {
        Self { keeps: true, together, ..Self::of(manifests) }
    }

    /// Counts a Job. True when it may be planned.
    pub(super) fn may_plan(&self) -> bool {
        self.each().for_each(|counts| {
            counts.written.fetch_add(1, Relaxed);
        });
        self.each().all(|counts| !counts.is_exceeded(&counts.written, WRITTEN))
    }

    /// True when the plan of a Job that was counted may be kept.
    pub(super) fn may_keep_plan(&self) -> bool {
        self.keeps && self.each().all(|counts| !counts.is_exceeded(&counts.written, JOBS))
    }

    /// Counts the objects of a document; one that cannot be read counts as one. True when they may be kept.
    pub(super) fn may_keep(&self, document: Option<Document<'_>>) -> bool {
        if !self.keeps {
            return false;
        }
        let objects = document.map(list::objects).unwrap_or_default();
        let jobs = || objects.iter().filter(|(_, object)| is_job(object));
        let nodes: usize = jobs().map(|(_, job)| job.size()).sum();
        for counts in self.each() {
            counts.objects.fetch_add(objects.len().max(1), Relaxed);
            counts.jobs.fetch_add(jobs().count(), Relaxed);
            counts.nodes.fetch_add(nodes, Relaxed);
        }
        self.each().all(|counts| counts.exceeded(true).is_none())
    }

    /// What is wrong when there are too many.
    pub(super) fn excess(&self) -> Option<Problem> {
        let own = self.own.excess("the manifests", self.keeps);
        own.or_else(|| self.together.filter(|_| self.keeps).and_then(Together::excess))
    }

    /// The source, and all sources.
    fn each(&self) -> impl Iterator<Item = &Counts> {
        [&self.own].into_iter().chain(self.together.map(|together| &together.counts))
    }
}
