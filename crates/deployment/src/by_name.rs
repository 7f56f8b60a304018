//! The sources of the other version, each found by its Application in the same time, however many there are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use text::Origin;

use crate::applications::ApplicationSource;
use crate::target::InBase;

/// Sources that are found by the names of their Applications.
#[derive(Default)]
pub(crate) struct ByName {
    /// The sources that no source of this version has taken yet.
    sources: Vec<Option<ApplicationSource>>,
    /// Their indices in order, by each of their keys.
    at: BTreeMap<Key, VecDeque<usize>>,
}

impl ByName {
    pub(crate) fn of(sources: Vec<ApplicationSource>) -> Self {
        let mut at: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
        for (index, source) in sources.iter().enumerate() {
            for key in keys(source) {
                at.entry(key).or_default().push_back(index);
            }
        }
        Self { sources: sources.into_iter().map(Some).collect(), at }
    }

    /// Takes the source of the same Application, with the same folder and declared in the same file if there are several.
    pub(crate) fn take(&mut self, wanted: &ApplicationSource) -> Option<ApplicationSource> {
        for key in keys(wanted) {
            let Some(indices) = self.at.get_mut(&key) else { continue };
            while let Some(index) = indices.pop_front() {
                if let Some(source) = self.sources[index].take() {
                    return Some(source);
                }
            }
        }
        None
    }

    /// What the base has of a source; `skipped` has the names of its Applications that cannot be rendered. If it has one of them, or it is not known
    /// what it has, the Application's file says what can be known. Only while none was taken.
    pub(crate) fn in_base(&self, wanted: &ApplicationSource, skipped: &BTreeSet<&str>, is_known: bool) -> InBase {
        let index = keys(wanted).iter().find_map(|key| self.at.get(key)?.front().copied());
        match index.and_then(|index| self.sources[index].clone()) {
            Some(source) => InBase::As(Box::new(source)),
            None if is_known && !skipped.contains(wanted.name()) => InBase::Nowhere,
            None => InBase::InItsFile,
        }
    }

    /// The sources that were not taken, in their order.
    pub(crate) fn left(self) -> impl Iterator<Item = ApplicationSource> {
        self.sources.into_iter().flatten()
    }
}

/// A name, a folder and the file that declares it: without a file all with this name and folder, without a folder all with this name.
type Key = (String, Option<PathBuf>, Option<Origin>);

/// The keys of a source, the most specific one first.
fn keys(source: &ApplicationSource) -> [Key; 3] {
    let (name, dir) = (|| source.name().to_owned(), || Some(source.dir.clone()));
    [(name(), dir(), Some(source.place.origin.clone())), (name(), dir(), None), (name(), None, None)]
}
