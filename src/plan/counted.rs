//! Counts what one source has while it is read, with what other sources have.

use super::Problem;
use super::counts::Counts;
use super::together::Together;
use crate::kubernetes::{is_job, list};
use crate::manifest::Manifest;
use crate::yaml::Document;

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
        self.each().for_each(Counts::add_written);
        self.each().all(Counts::may_plan)
    }

    /// True when the plan of a Job that was counted may be kept.
    pub(super) fn may_keep_plan(&self) -> bool {
        self.keeps && self.each().all(Counts::may_keep_plans)
    }

    /// Counts the objects of a document; one that cannot be read counts as one. True when they may be kept.
    pub(super) fn may_keep(&self, document: Option<Document<'_>>) -> bool {
        if !self.keeps {
            return false;
        }
        let objects = document.map(list::objects).unwrap_or_default();
        let jobs = || objects.iter().filter(|(_, object)| is_job(object));
        let nodes: usize = jobs().map(|(_, job)| job.size()).sum();
        self.each().for_each(|counts| counts.add(objects.len().max(1), jobs().count(), nodes));
        self.each().all(Counts::may_keep)
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
