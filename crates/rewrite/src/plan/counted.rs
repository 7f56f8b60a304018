//! Counts the objects and values of a run: very many small objects could use up the memory.
//!
//! `check` and `preview` keep up to 10,000 bytes for each object, and 2,000 for each finding, until they print.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use goyaml::{Document, expansion};
use kube_jobs::kubernetes::list;

use super::Problem;

/// The maximum number of objects of a run, in all its sources.
pub(super) const MAX_OBJECTS: usize = 100_000;

/// The maximum number of keys and values in all documents of a run.
const MAX_VALUES: usize = 10_000_000;

/// The maximum number of findings of a run.
pub const MAX_FINDINGS: usize = 50_000;

/// The maximum number of sources of a run, and of bytes of their manifests.
const MAX_SOURCES: usize = 20_000;
const MAX_BYTES: usize = 1 << 30;

/// The problem of a run with too many sources or too many bytes of manifests. None if neither is exceeded.
pub fn too_many_sources(count: usize, bytes: usize) -> Option<Problem> {
    let most = if count > MAX_SOURCES { "20,000 sources" } else { "1 GiB of manifests" };
    (count > MAX_SOURCES || bytes > MAX_BYTES).then(|| Problem::too_much(format!("more than {most}")))
}

/// The counts of all sources of a run so far. Counting continues above a limit, so that the result does not depend on the order of
/// sources and documents.
#[derive(Debug, Default)]
pub struct Together {
    objects: AtomicUsize,
    values: AtomicUsize,
    /// The number of bytes that aliases expand to.
    expansion: AtomicUsize,
    findings: AtomicUsize,
}

impl Together {
    /// Counts findings. Returns whether they may be kept.
    pub fn may_keep_findings(&self, count: usize) -> bool {
        self.findings.fetch_add(count, Relaxed) + count <= MAX_FINDINGS
    }

    /// The problem of a run that exceeds a limit. None if it exceeds none. Final once all sources are counted.
    pub fn excess(&self) -> Option<Problem> {
        let is_exceeded = |counter: &AtomicUsize, most: usize| counter.load(Relaxed) > most;
        let what = if is_exceeded(&self.objects, MAX_OBJECTS) {
            "100,000 objects"
        } else if is_exceeded(&self.values, MAX_VALUES) {
            "10,000,000 keys and values"
        } else if is_exceeded(&self.expansion, expansion::MAX as usize) {
            return Some(Problem::too_many_aliases());
        } else if is_exceeded(&self.findings, MAX_FINDINGS) {
            "50,000 findings, which are not shown"
        } else {
            return None;
        };
        Some(Problem::too_much(format!("the manifests have more than {what}")))
    }

    fn add(&self, Size { objects, values, expansion }: Size) -> bool {
        self.objects.fetch_add(objects.max(1), Relaxed);
        self.values.fetch_add(values, Relaxed);
        self.expansion.fetch_add(expansion, Relaxed);
        self.excess().is_none()
    }
}

/// What one document counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    objects: usize,
    values: usize,
    expansion: usize,
}

impl Size {
    fn of(document: Document<'_>) -> Self {
        Self::with(list::objects(document).len(), document)
    }

    fn with(objects: usize, document: Document<'_>) -> Self {
        Self { objects, values: document.size(), expansion: document.expansion() as usize }
    }
}

/// Counts each document of one source once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<'t> {
    pub(super) together: &'t Together,
    /// Whether the run keeps something of each document. If so, a document is counted when it is kept, else when it is planned.
    pub(super) keeps: bool,
}

impl Counted<'_> {
    /// Counts a document with `objects` objects, if the run keeps nothing. Returns whether its Jobs may be planned.
    pub(super) fn may_plan(self, objects: usize, document: Document<'_>) -> bool {
        if self.keeps { self.together.excess().is_none() } else { self.together.add(Size::with(objects, document)) }
    }

    /// Counts a document, if the run keeps something. A document that cannot be read counts as one object. Returns its size if something of it may
    /// be kept.
    pub(super) fn may_keep(self, document: Option<Document<'_>>) -> Option<Size> {
        let size = self.keeps.then(|| document.map_or(Size::default(), Size::of))?;
        self.together.add(size).then_some(size)
    }

    /// As [`Self::may_keep`], for a document whose size is known.
    pub(super) fn may_keep_known(self, size: Size) -> bool {
        self.keeps && self.together.add(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goyaml::Tree;

    #[test]
    fn each_kind_has_a_limit_for_all_sources() {
        let alias = format!("a: &a {}\nb: [*a, *a]\n", "x".repeat(1 << 20));
        for (objects, text, times, what) in [
            (1, "a: b", 100_000, "the manifests have more than 100,000 objects"),
            (1, &format!("[{}]", "1,".repeat(99_999)), 100, "the manifests have more than 10,000,000 keys and values"),
            (1, &alias, 2, "the aliases of all manifests expand to more than 6 MiB"),
        ] {
            let mut tree = Tree::default();
            let document = tree.read(text).unwrap();
            let together = Together::default();
            for keeps in [false, true].into_iter().cycle().take(times) {
                let counted = Counted { together: &together, keeps };
                let is_allowed = if keeps {
                    counted.may_keep(Some(document)).is_some()
                } else {
                    counted.may_plan(objects, document)
                };
                assert!(is_allowed, "{what}");
            }
            assert!(!Counted { together: &together, keeps: false }.may_plan(objects, document), "{what}");
            assert_eq!(together.excess().map(|problem| problem.message).as_deref(), Some(what));
        }
        let together = Together::default();
        assert!(together.may_keep_findings(50_000) && together.excess().is_none());
        assert!(!together.may_keep_findings(1));
        let message = "the manifests have more than 50,000 findings, which are not shown";
        assert_eq!(together.excess().map(|problem| problem.message).as_deref(), Some(message));
    }
}
