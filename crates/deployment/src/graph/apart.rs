//! The Applications that both versions have in different places: a change moves them to another root, or between a root and a file. They are found as a new
//! source and an old one, in any order, and paired when all are found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Graph;
use crate::applications::ApplicationSource;
use crate::outcome::Read;
use crate::pair::{Pair, matched};
use crate::sources::Sources;
use crate::target::Target;

/// The numbers of the sources of one Application that were found in one version only.
#[derive(Default)]
struct Apart {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl Graph<'_> {
    /// The sources that were read as new, and that the other version has after all: their numbers, and the targets that have to be read in their place.
    pub(crate) fn found_apart(&mut self, read: &[Read]) -> Vec<(usize, Target)> {
        let known = self.nodes.iter_mut().enumerate().filter_map(|(number, node)| Some((number, node.of_base.take()?)));
        let mut found: BTreeMap<usize, ApplicationSource> = known.collect();
        let paired = read.iter().filter_map(|one| match one.target.pair()? {
            Pair::Both { old, .. } => Some(old.fingerprint()),
            _ => None,
        });
        let paired: BTreeSet<[u8; 32]> = paired.chain(found.values().map(ApplicationSource::fingerprint)).collect();
        let mut apart: BTreeMap<&str, Apart> = BTreeMap::new();
        for (number, one) in read.iter().enumerate() {
            match one.target.pair() {
                Some(Pair::New { new, has_application: false }) if !found.contains_key(&number) => {
                    apart.entry(new.name()).or_default().new.push(number);
                }
                Some(Pair::Old(old)) if !self.nodes[number].is_assumed && !paired.contains(&old.fingerprint()) => {
                    apart.entry(old.name()).or_default().old.push(number);
                }
                _ => {}
            }
        }
        for apart in apart.values().filter(|apart| !apart.old.is_empty() && !apart.new.is_empty()) {
            for (old, new) in self.joined(apart, read) {
                found.extend(read[old].target.source().map(|old| (new, old.clone())));
                // What only a file declares may not be applied, and then the old Application stays as it is.
                let is_altered = self.nodes[new].is_altered && !is_declared_alike(&read[old], &read[new]);
                if !is_altered || self.root(new).is_some() {
                    self.nodes[old].is_continued = true;
                }
            }
        }
        let again = found.into_iter().filter_map(|(number, old)| {
            let Some(Pair::New { new, .. }) = read[number].target.pair() else { return None };
            if new.is_declared_like(&old) {
                self.nodes[number].is_altered = false;
            }
            let pair = Pair::both((**new).clone(), old);
            Some((number, Target::Application(pair, Arc::clone(&self.checkout))))
        });
        again.collect()
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

    /// Which old source of an Application is which new one. Below two roots there can be two Applications of one name, each in a cluster of its own; so
    /// there only what is declared alike, or below the same root, is the same.
    fn joined(&self, apart: &Apart, read: &[Read]) -> Vec<(usize, usize)> {
        // Nobody knows where a folder is applied.
        let home = |number: usize| self.root(number).filter(|root| read[*root].target.source().is_some());
        let mut joined = Vec::new();
        let mut left = (apart.old.clone(), apart.new.clone());
        let roots: BTreeSet<Option<usize>> = apart.old.iter().chain(&apart.new).map(|number| home(*number)).collect();
        let has_several_roots = roots.iter().flatten().count() > 1;
        let homes = if has_several_roots { roots.into_iter().map(Some).collect() } else { vec![None] };
        for root in homes {
            let is_here = |number: &usize| root.is_none_or(|root| home(*number) == root);
            joined.extend(join(&mut left, read, is_here, matched));
        }
        joined.extend(join(
            &mut left,
            read,
            |_| true,
            |old, new| {
                let alike =
                    |new: &&ApplicationSource| old.iter().position(|old| old.fingerprint() == new.fingerprint());
                new.iter().map(alike).collect()
            },
        ));
        joined
    }
}

/// Takes those that are meant and belong together out of both lists of numbers.
fn join(
    (old, new): &mut (Vec<usize>, Vec<usize>),
    read: &[Read],
    is_meant: impl Fn(&usize) -> bool,
    matched: impl Fn(&[&ApplicationSource], &[&ApplicationSource]) -> Vec<Option<usize>>,
) -> Vec<(usize, usize)> {
    let meant = |all: &[usize]| all.iter().copied().filter(|number| is_meant(number)).collect::<Vec<_>>();
    let sources = |all: &[usize]| all.iter().filter_map(|number| read[*number].target.source()).collect::<Vec<_>>();
    let (olds, news) = (meant(old), meant(new));
    let indices = matched(&sources(&olds), &sources(&news));
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (number, index) in news.iter().zip(indices) {
        let old = index.map(|index| olds[index]).filter(|old| joined.iter().all(|(taken, _)| taken != old));
        joined.extend(old.map(|old| (old, *number)));
    }
    old.retain(|number| joined.iter().all(|(taken, _)| taken != number));
    new.retain(|number| joined.iter().all(|(_, taken)| taken != number));
    joined
}

fn is_declared_alike(old: &Read, new: &Read) -> bool {
    matches!((old.target.source(), new.target.source()), (Some(old), Some(new)) if new.is_declared_like(old))
}
