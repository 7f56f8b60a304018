//! The Applications that both versions have in different places: a change moves them to another root, or between a root and a file. They are found as a new
//! source and an old one, in any order, and paired when all are found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Graph;
use crate::applications::ApplicationSource;
use crate::outcome::Read;
use crate::pair::{KEYS, Key, Pair, matched};
use crate::sources::Sources;
use crate::target::Target;

/// A source that was found in one version only.
struct Apart<'r> {
    number: usize,
    source: &'r ApplicationSource,
    /// The root that it is below, if the Application has several: they can be several clusters, each with an Application of this name.
    root: Option<usize>,
}

impl Graph<'_> {
    /// The sources that were read as new, and that the other version has after all: their numbers, and the targets that have to be read in their place.
    pub(crate) fn found_apart(&mut self, read: &[Read]) -> Vec<(usize, Target)> {
        let known = self.nodes.iter_mut().enumerate().filter_map(|(number, node)| Some((number, node.of_base.take()?)));
        let mut found: BTreeMap<usize, ApplicationSource> = known.collect();
        let [old, new] = self.apart(read, &found);
        let same_root = KEYS.map(|key| move |one: &Apart<'_>| (one.root, key(one.source)));
        let alike = |one: &Apart<'_>| (None, (String::new(), None, None, Some(one.source.fingerprint())));
        let mut keys = same_root.each_ref().map(|key| key as &dyn Fn(&Apart<'_>) -> (Option<usize>, Key)).to_vec();
        keys.push(&alike);
        for (new, index) in new.iter().zip(matched(&old, &new, &keys)) {
            let Some(old) = index.map(|index| &old[index]) else { continue };
            found.insert(new.number, old.source.clone());
            // What only a file declares may not be applied, and then the old Application stays as it is.
            self.nodes[old.number].is_continued |=
                self.is_rendered(new.number, read) || new.source.is_declared_like(old.source);
        }
        let again = found.into_iter().filter_map(|(number, old)| {
            let Some(Pair::New { new, .. }) = read[number].target.pair() else { return None };
            self.nodes[number].is_altered &= !new.is_declared_like(&old);
            let pair = Pair::both((**new).clone(), old);
            Some((number, Target::Application(pair, Arc::clone(&self.checkout))))
        });
        again.collect()
    }

    /// The sources of Applications that were found in the old version only, and in the new one only, without those of `found`.
    fn apart<'r>(&self, read: &'r [Read], found: &BTreeMap<usize, ApplicationSource>) -> [Vec<Apart<'r>>; 2] {
        let mut apart = [Vec::new(), Vec::new()];
        for (number, one) in read.iter().enumerate() {
            let (version, source) = match one.target.pair() {
                Some(Pair::Old(old)) if !self.nodes[number].is_assumed => (0, old),
                Some(Pair::New { new, has_application: false }) if !found.contains_key(&number) => (1, new),
                _ => continue,
            };
            let root = self.root(number).filter(|_| self.is_rendered(number, read));
            apart[version].push(Apart { number, source, root });
        }
        if apart.iter().any(Vec::is_empty) {
            return Default::default();
        }
        let paired = read.iter().filter_map(|one| match one.target.pair()? {
            Pair::Both { old, .. } => Some(old.fingerprint()),
            _ => None,
        });
        let paired: BTreeSet<[u8; 32]> = paired.chain(found.values().map(ApplicationSource::fingerprint)).collect();
        apart[0].retain(|one| !paired.contains(&one.source.fingerprint()));
        let mut roots = BTreeMap::<&str, BTreeSet<usize>>::new();
        for Apart { source, root, .. } in apart.iter().flatten() {
            roots.entry(source.name()).or_default().extend(root);
        }
        for one in apart.iter_mut().flatten() {
            one.root = one.root.filter(|_| roots.get(one.source.name()).is_some_and(|roots| roots.len() > 1));
        }
        apart
    }

    /// Whether an Application renders the Application of a source. Of one in a folder nobody knows where it is applied.
    fn is_rendered(&self, number: usize, read: &[Read]) -> bool {
        self.nodes[number].parent.is_some_and(|parent| read[parent].target.source().is_some())
    }

    /// Notes which new sources are those of Applications that the other version has, and that cannot be read there.
    pub(super) fn tell_known_names(&self, read: &mut [Read], sources: &Sources) {
        let in_files = sources.skipped_of_base.iter().flatten().map(|skipped| skipped.name.as_str());
        let rendered = self.rendered_of_base.names.iter().map(|(name, _)| name.as_str());
        let names: BTreeSet<&str> = in_files.chain(rendered).collect();
        for one in read {
            if let Target::Application(Pair::New { new, has_application }, _) = &mut one.target {
                *has_application |= names.contains(new.name());
            }
        }
    }
}
