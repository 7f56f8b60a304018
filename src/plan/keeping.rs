//! How many objects `check` and `preview` keep. They know every object at once, which takes memory for each, however small it is:
//! up to 1,000 bytes for an object and 6,000 for a Job. With these limits that is within 64 MiB and 8 bytes for each byte of the manifests.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Problem;
use crate::kubernetes::{is_job, list};
use crate::manifest::Manifest;
use crate::yaml::Document;

/// How many objects are kept of manifests of whatever size, and for how many bytes of the manifests one more.
const OBJECTS: (usize, usize) = (16_000, 256);

/// The same for Jobs.
const JOBS: (usize, usize) = (6_000, 2_048);

/// The same for the keys and values of all Jobs.
const NODES: (usize, usize) = (400_000, 8);

/// What is kept so far.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    /// How many bytes the manifests have.
    bytes: usize,
    objects: AtomicUsize,
    jobs: AtomicUsize,
    nodes: AtomicUsize,
    plans: AtomicUsize,
}

impl Keeping {
    /// Of these manifests nothing is kept so far.
    pub(super) fn of(manifests: &[Manifest]) -> Self {
        Self { bytes: manifests.iter().map(|manifest| manifest.text.len()).sum(), ..Self::default() }
    }

    /// Counts the objects of a document; one that cannot be read counts as one. True when they may be kept: all of them are counted, so that whether there are too many does not
    /// depend on which are counted first.
    pub(super) fn may_keep(&self, document: Option<Document<'_>>) -> bool {
        let objects = document.map(list::objects).unwrap_or_default();
        self.objects.fetch_add(objects.len().max(1), Relaxed);
        for (_, job) in objects.iter().filter(|(_, object)| is_job(object)) {
            self.jobs.fetch_add(1, Relaxed);
            self.nodes.fetch_add(job.size(), Relaxed);
        }
        self.excess().is_none()
    }

    /// Counts the plan of a Job. True when it may be kept.
    pub(super) fn may_keep_plan(&self) -> bool {
        self.plans.fetch_add(1, Relaxed);
        self.excess().is_none()
    }

    /// Why nothing is kept, when there are too many.
    pub(super) fn excess(&self) -> Option<Problem> {
        let jobs = self.jobs.load(Relaxed).max(self.plans.load(Relaxed));
        let nodes = self.nodes.load(Relaxed);
        let counted = [
            (jobs, "Jobs", JOBS),
            (self.objects.load(Relaxed), "objects", OBJECTS),
            (nodes, "keys and values in Jobs", NODES),
        ];
        counted.into_iter().find_map(|(count, what, (most, bytes))| {
            let most = most + self.bytes / bytes;
            (count > most).then(|| Problem::too_many(count, what, most))
        })
    }
}
