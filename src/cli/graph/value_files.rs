//! Applications of charts with the wrong values, where the value files of these charts take their place.

use std::collections::BTreeSet;
use std::path::Path;

use super::Graph;
use crate::cli::read::Read;

impl Graph<'_> {
    /// The Applications that value files take the place of: of charts with their default values those that could not be read, and those that a
    /// value file gives too; and those that could not be read, if their own chart is read with each of its value files.
    pub(super) fn unreal(&self, read: &[Read]) -> BTreeSet<usize> {
        let is_below = |number: usize, above: &BTreeSet<usize>| {
            self.chain(number).iter().skip(1).any(|number| above.contains(number))
        };
        let name = |number: &usize| read[*number].target.application();
        let numbers = || 0..read.len();
        let real: BTreeSet<&str> =
            numbers().filter(|number| is_below(*number, &self.assumed)).filter_map(|number| name(&number)).collect();
        let dir = |number: usize| read[number].target.source()?.dir_here();
        let of_value_files: BTreeSet<&Path> = self.assumed.iter().filter_map(|number| dir(*number)).collect();
        let is_unreal = |number: &usize| {
            let (is_unread, of_defaults) = (read[*number].failure().is_some(), is_below(*number, &self.replaced));
            let is_replaced = || dir(*number).is_some_and(|dir| of_value_files.contains(dir));
            is_unread && (of_defaults || is_replaced())
                || of_defaults && name(number).is_some_and(|name| real.contains(name))
        };
        numbers().filter(|number| !self.assumed.contains(number)).filter(is_unreal).collect()
    }
}
