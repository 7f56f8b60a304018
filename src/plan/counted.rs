//! Counts what one source has while it is read, with what other sources have.

use super::Problem;
use super::counts::Counts;
use super::together::Together;
use crate::kubernetes::{is_job, list};
use crate::manifest::{Manifest, total_bytes};
use crate::yaml::Document;

/// What the manifests of one source have, counted for the source and for all sources together. Counting goes on when a limit is exceeded, so
/// that whether one is exceeded does not depend on what came first.
#[derive(Debug)]
pub(super) struct Counted<'t> {
    own: Counts,
    /// Whether objects are kept.
    keeps: bool,
    together: Option<&'t Together>,
}

impl<'t> Counted<'t> {
    /// Counts of zero for these manifests, whose objects will not be kept.
    pub(super) fn of(manifests: &[Manifest]) -> Self {
        Self { own: Counts::of(total_bytes(manifests)), keeps: false, together: None }
    }

    /// The same for manifests whose objects will be kept. With several sources, their objects are counted in `together` too.
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
        self.own.excess(self.keeps).or_else(|| self.together.filter(|_| self.keeps).and_then(Together::excess))
    }

    /// The source, and all sources.
    fn each(&self) -> impl Iterator<Item = &Counts> {
        [&self.own].into_iter().chain(self.together.map(|together| &together.counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_source_is_counted_for_all_sources_too() {
        let together = Together::of(0);
        let sources = [8_000, 8_000].map(|count| {
            let counted = Counted::kept(&[], Some(&together));
            // A document that cannot be read is one object.
            assert!((0..count).all(|_| counted.may_keep(None)));
            counted
        });
        assert!(sources.iter().all(|counted| counted.excess().is_none()));
        assert!(!sources[0].may_keep(None));
        let message = "the manifests of all sources have too many objects: ";
        let is_told =
            |counted: &Counted<'_>| counted.excess().is_some_and(|problem| problem.message.starts_with(message));
        assert!(sources.iter().all(is_told));
    }

    #[test]
    fn jobs_are_planned_and_kept_as_long_as_there_is_room_for_all_sources() {
        let together = Together::of(0);
        let [one, other] = [(); 2].map(|()| Counted::kept(&[], Some(&together)));
        assert!((0..6_000).all(|_| one.may_plan() && one.may_keep_plan()));
        assert!(other.may_plan() && !other.may_keep_plan());
        let alone = Counted::of(&[]);
        assert!((0..50_000).all(|_| alone.may_plan() && !alone.may_keep_plan()));
        // Nothing is kept, and nothing but Jobs is counted.
        assert!(!alone.may_keep(None) && alone.excess().is_none());
        assert!(!alone.may_plan() && alone.excess().is_some());
    }
}
