//! Sources that render the same Applications: a folder that many Applications read is looked at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use super::Graph;
use crate::outcome::Read;

/// What decides which Applications a source renders, and their place in the graph: whether it is a folder, the root above it, and the manifests
/// of both versions.
type Content = (bool, usize, [u8; 32]);

/// The sources of each content.
#[derive(Default)]
pub(super) struct Alike {
    first: HashMap<Content, usize>,
    /// The further sources, by the first one.
    others: BTreeMap<usize, Vec<usize>>,
}

impl Alike {
    /// Whether the source `number`, or one that is like it, is one of `kept`.
    pub(super) fn is_in(&self, kept: &BTreeSet<usize>, number: usize) -> bool {
        self.all_like(number).any(|one| kept.contains(&one))
    }

    /// The source `number`, and those that are like it.
    pub(super) fn all_like(&self, number: usize) -> impl Iterator<Item = usize> {
        [number].into_iter().chain(self.others.get(&number).into_iter().flatten().copied())
    }
}

impl Graph<'_> {
    /// The source that renders the same as the source `number`, and was looked at before.
    pub(super) fn seen_before(&mut self, number: usize, read: &Read) -> Option<usize> {
        let content = (read.target.source().is_none(), self.top(number), digest(read));
        let first = *self.alike.first.entry(content).or_insert(number);
        if first == number {
            return None;
        }
        self.alike.others.entry(first).or_default().push(number);
        Some(first)
    }
}

fn digest(read: &Read) -> [u8; 32] {
    let new = read.target.old_source().is_none().then(|| read.version());
    let mut digest = Sha256::new();
    for version in [new, read.base()] {
        digest.update([u8::from(version.is_some())]);
        for manifest in version.into_iter().flat_map(|version| &version.manifests) {
            digest.update(manifest.text.len().to_le_bytes());
            digest.update(&manifest.text);
        }
        digest.update(usize::MAX.to_le_bytes());
    }
    digest.finalize().into()
}
