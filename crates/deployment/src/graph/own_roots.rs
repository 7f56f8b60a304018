//! Which folders with Applications are roots, and which ones an Application above them reads.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Graph;
use crate::applications::ApplicationSource;
use crate::outcome::Read;
use crate::pair::Pair;
use crate::paths::real;
use crate::target::Target;
use crate::unused;

/// The folders that are not roots, because Applications name them in both versions.
pub(super) struct Owned(BTreeSet<PathBuf>);

impl Owned {
    /// Finds the folders. The Applications whose numbers are in `left_out` do not count.
    pub(super) fn of(graph: &Graph<'_>, read: &[Read], left_out: [&BTreeSet<usize>; 3]) -> Self {
        let is_compared = graph.run.base.is_some();
        let pairs: Vec<&Pair> = read
            .iter()
            .enumerate()
            .filter(|(number, _)| !left_out.iter().any(|left_out| left_out.contains(number)))
            .filter_map(|(_, one)| one.target.pair())
            .collect();
        let named = |version: fn(&Pair) -> Option<&ApplicationSource>| -> BTreeSet<PathBuf> {
            let sources = pairs.iter().filter_map(|pair| version(pair));
            sources.filter_map(|source| source.settles(&graph.checkout.root, is_compared)).collect()
        };
        let now = named(Pair::in_new);
        // A change could bring an Application to hide a Job of the folder, or take it away from one that stays.
        Self(if is_compared { &now & &named(Pair::in_old) } else { now })
    }
}

impl Graph<'_> {
    /// Whether a source is a folder that renders Applications, and that no Application reads in both versions.
    pub(super) fn is_own_root(&self, number: usize, target: &Target, owned: &Owned) -> bool {
        self.nodes[number].is_root && !unused::is_named(target, &owned.0)
    }

    /// Whether the source `root` is the folder that the Application of `parent` reads: not another cluster, but the same manifests once more.
    pub(super) fn is_of_parent(&self, root: usize, parent: usize, read: &[Read]) -> bool {
        let Some(Target::Folder(folder)) = read.get(root).map(|one| &one.target) else { return false };
        let is_compared = self.run.base.is_some();
        let source = read[parent].target.pair().map(|pair| pair.in_old().unwrap_or_else(|| pair.source()));
        let dir = source.and_then(|source| source.settles(&self.checkout.root, is_compared));
        dir.is_some_and(|dir| dir == real(&folder.dir))
    }
}
