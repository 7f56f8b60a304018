//! Notes in each source the ApplicationSets among its objects for which Argo CD does not create all Applications.

use std::collections::BTreeSet;

use text::Place;

use super::Graph;
use crate::outcome::Read;

impl Graph<'_> {
    /// Puts them into both versions of each source. Sources that are alike have the same manifests.
    pub(super) fn tell_broken_sets(&self, read: &mut [Read]) {
        // In the old version too: otherwise each one would be new.
        for (index, rendered) in [&self.rendered, &self.rendered_of_base].into_iter().enumerate() {
            for (first, sets) in &rendered.broken_sets {
                for number in self.alike.all_like(*first) {
                    if let Some(version) = &mut read[number].versions_mut()[index] {
                        version.application.broken_sets.clone_from(sets);
                    }
                }
            }
        }
    }
}

/// The places of the ApplicationSets that are findings of these sources.
pub(super) fn places(read: &[Read]) -> BTreeSet<Place> {
    let places = read.iter().map(Read::version).flat_map(|version| {
        // A source whose Application is removed has no manifests.
        let place = |(manifest, offset)| Some(version.manifests.get::<usize>(manifest)?.place(offset));
        let sets = version.application.broken_sets.iter().map(|set| (set.manifest, set.offset));
        sets.filter_map(place)
    });
    places.collect()
}
