//! Applications that are replaced by others: by the same with the values of a value file, or with the settings of the source that renders it.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use checkout::clean;

use super::Graph;
use crate::outcome::Read;
use crate::pair::Pair;

impl Graph<'_> {
    /// The Applications that value files take the place of. A chart with its default values loses the Applications that cannot be read, and the
    /// Applications that a value file gives too. Any other Application is lost if it cannot be read, and its own chart is read with each value file.
    pub(super) fn unreal(
        &self,
        read: &[Read],
        assumed: &BTreeSet<usize>,
        replaced: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let is_below = |number: usize, above: &BTreeSet<usize>| {
            self.chain(number).iter().skip(1).any(|number| above.contains(number))
        };
        let name = |number: &usize| read[*number].target.application();
        let numbers = || 0..read.len();
        let real: BTreeSet<&str> =
            numbers().filter(|number| is_below(*number, assumed)).filter_map(|number| name(&number)).collect();
        let dir = |number: usize| read[number].target.source()?.dir_here();
        let of_value_files: BTreeSet<&Path> = assumed.iter().filter_map(|number| dir(*number)).collect();
        let is_unreal = |number: &usize| {
            let (is_unread, of_defaults) = (read[*number].failure().is_some(), is_below(*number, replaced));
            let is_replaced = || dir(*number).is_some_and(|dir| of_value_files.contains(dir));
            is_unread && (of_defaults || is_replaced())
                || of_defaults && name(number).is_some_and(|name| real.contains(name))
        };
        numbers().filter(|number| !assumed.contains(number)).filter(is_unreal).collect()
    }

    /// The Applications that are found in a file and are rendered too: in the same way, or with other settings by a kustomization in its folder.
    pub(super) fn superseded(&self, read: &[Read]) -> BTreeSet<usize> {
        let (mut same, mut of_dir) = (HashSet::new(), HashSet::new());
        for (one, node) in read.iter().zip(&self.nodes) {
            // What only the version to compare with renders takes no place in this one.
            if let (Some(source), Some(parent)) = (one.target.pair().and_then(Pair::in_new), node.parent) {
                same.insert(source.fingerprint());
                of_dir.insert((source.name(), clean(&read[parent].target.path())));
            }
        }
        let is_superseded = |number: &usize| {
            let Some(source) = read[*number].target.pair().and_then(Pair::in_new) else { return false };
            let Some(dir) = source.place.dir().filter(|_| self.nodes[*number].parent.is_none()) else { return false };
            let is_rendered = of_dir.contains(&(source.name(), clean(dir))) || same.contains(&source.fingerprint());
            is_rendered && !self.nodes[*number].is_assumed
        };
        (0..read.len()).filter(is_superseded).collect()
    }
}
