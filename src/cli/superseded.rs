//! Applications that are found in files and that a source renders too.

use std::collections::{BTreeSet, HashSet};

use argocd_jobs::source::clean;

use super::read::Read;
use super::target::Target;

/// The Applications that are found in a file and are rendered too: in the same way, or with other settings by a kustomization in its folder.
/// `parents` has the source that renders each, `assumed` the sources that nothing declares.
pub(super) fn superseded(read: &[Read], parents: &[Option<usize>], assumed: &BTreeSet<usize>) -> BTreeSet<usize> {
    let (mut same, mut of_dir) = (HashSet::new(), HashSet::new());
    for (one, parent) in read.iter().zip(parents) {
        if let (Some(source), Some(parent)) = (one.target.source(), parent) {
            same.insert(source.fingerprint());
            of_dir.insert((source.name(), clean(&read[*parent].target.path())));
        }
    }
    let is_superseded = |number: &usize| {
        let Target::Application(source, ..) = &read[*number].target else { return false };
        let Some(dir) = source.place.dir().filter(|_| parents[*number].is_none()) else { return false };
        let is_rendered = of_dir.contains(&(source.name(), clean(dir))) || same.contains(&source.fingerprint());
        is_rendered && !assumed.contains(number)
    };
    (0..read.len()).filter(is_superseded).collect()
}
