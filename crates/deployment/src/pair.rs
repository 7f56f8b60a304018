//! The sources of Applications in both versions of a comparison: which source of the new version is which of the old one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use text::Origin;

use crate::applications::ApplicationSource;

/// A source of an Application, as both versions declare it.
#[derive(Clone, Debug)]
pub enum Pair {
    /// The new version declares the source. There is no other version, or it is unknown.
    Single(Box<ApplicationSource>),
    /// Only the new version declares the source.
    New {
        /// The source.
        new: Box<ApplicationSource>,
        /// Whether the other version has the Application, with other sources.
        has_application: bool,
    },
    /// Both versions declare the source.
    Both {
        /// The source in the new version.
        new: Box<ApplicationSource>,
        /// The source in the other version.
        old: Box<ApplicationSource>,
    },
    /// The source as the other version declares it. The new version declares it in another way, or not at all.
    Old(Box<ApplicationSource>),
}

impl Pair {
    /// A source of which only the new version is known.
    pub fn single(source: ApplicationSource) -> Self {
        Self::Single(Box::new(source))
    }

    /// A source that only the new version has, and its Application too.
    pub fn new(source: ApplicationSource) -> Self {
        Self::New { new: Box::new(source), has_application: false }
    }

    /// A source that both versions have.
    pub fn both(new: ApplicationSource, old: ApplicationSource) -> Self {
        Self::Both { new: Box::new(new), old: Box::new(old) }
    }

    /// The source as the new version declares it, or else the other version.
    pub fn source(&self) -> &ApplicationSource {
        match self {
            Self::Single(source)
            | Self::New { new: source, .. }
            | Self::Both { new: source, .. }
            | Self::Old(source) => source,
        }
    }

    /// The source in the new version.
    pub fn in_new(&self) -> Option<&ApplicationSource> {
        Some(self.source()).filter(|_| !matches!(self, Self::Old(_)))
    }

    /// The source in the other version, if it is known.
    pub fn in_old(&self) -> Option<&ApplicationSource> {
        match self {
            Self::Both { old, .. } | Self::Old(old) => Some(old),
            Self::Single(_) | Self::New { .. } => None,
        }
    }

    /// Whether its Application is known to be in the new version only.
    pub fn is_new(&self) -> bool {
        matches!(self, Self::New { has_application: false, .. })
    }

    /// Whether the new version declares it first, or in another way.
    pub(crate) fn is_altered(&self) -> bool {
        match self {
            Self::New { .. } => true,
            Self::Both { new, old } => !new.is_declared_like(old),
            Self::Single(_) | Self::Old(_) => false,
        }
    }
}

/// What two sources have in common besides the name of their Application: the file that declares them, their folder, and their content.
pub(crate) type Key = (String, Option<Origin>, Option<PathBuf>, Option<[u8; 32]>);

/// The keys by which sources are paired, the most specific one first. Two files can be two clusters, so the file counts before the folder.
pub(crate) const KEYS: [fn(&ApplicationSource) -> Key; 5] = [
    |source| (name(source), file(source), dir(source), Some(source.fingerprint())),
    |source| (name(source), file(source), dir(source), None),
    |source| (name(source), file(source), None, None),
    |source| (name(source), None, dir(source), None),
    |source| (name(source), None, None, None),
];

fn name(source: &ApplicationSource) -> String {
    source.name().to_owned()
}

fn file(source: &ApplicationSource) -> Option<Origin> {
    Some(source.place.origin.clone())
}

fn dir(source: &ApplicationSource) -> Option<PathBuf> {
    Some(source.dir.clone())
}

/// For each of the new items the index of the old one that has a key in common with it; the first of `keys` goes first. Each old one is taken once. The
/// order of the items decides only between those that have all in common.
pub(crate) fn matched<T, K: Ord>(old: &[T], new: &[T], keys: &[&dyn Fn(&T) -> K]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; old.len()];
    let mut matched: Vec<Option<usize>> = vec![None; new.len()];
    for key in keys {
        let mut free: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for index in (0..old.len()).filter(|index| is_free[*index]) {
            free.entry(key(&old[index])).or_default().push_back(index);
        }
        if free.is_empty() {
            break;
        }
        for (item, matched) in new.iter().zip(&mut matched).filter(|(_, matched)| matched.is_none()) {
            *matched = free.get_mut(&key(item)).and_then(VecDeque::pop_front);
            matched.iter().for_each(|index| is_free[*index] = false);
        }
    }
    matched
}

/// Pairs the sources of both versions. First come the new sources in their order, then those that only the other version has.
pub(crate) fn pair(old: Vec<ApplicationSource>, new: Vec<ApplicationSource>) -> Vec<Pair> {
    let names: BTreeSet<String> = old.iter().map(name).collect();
    let matched = matched(&old, &new, &KEYS.each_ref().map(|key| key as &dyn Fn(&ApplicationSource) -> Key));
    let mut old: Vec<Option<ApplicationSource>> = old.into_iter().map(Some).collect();
    let mut pairs = Vec::with_capacity(new.len());
    for (new, index) in new.into_iter().zip(matched) {
        pairs.push(match index.and_then(|index| old[index].take()) {
            Some(old) => Pair::both(new, old),
            None => Pair::New { has_application: names.contains(new.name()), new: Box::new(new) },
        });
    }
    pairs.extend(old.into_iter().flatten().map(|source| Pair::Old(Box::new(source))));
    pairs
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use scratch::Scratch;
    use system::{PathText, canonical};

    use super::{ApplicationSource, pair};
    use crate::applications::{Checkout, read};

    /// A source: the file that declares it, its folder, and the files that it leaves out.
    type Declared = [&'static str; 3];

    /// Sources of the Application `shop`.
    fn sources(all: &[Declared]) -> Vec<ApplicationSource> {
        let repository = Scratch::new().file("a/job.yaml", "").file("b/job.yaml", "").file("c/job.yaml", "");
        let checkout = Checkout { root: canonical(&repository.0).unwrap(), ..Checkout::default() };
        let file = |[file, dir, exclude]: &Declared| {
            let source =
                format!("{{repoURL: 'https://git.example.com/x', path: {dir}, directory: {{exclude: '{exclude}'}}}}");
            let head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\n";
            ((*file).into(), format!("{head}spec: {{destination: {{namespace: x}}, source: {source}}}\n"))
        };
        read(&all.iter().map(file).collect::<Vec<_>>(), &checkout).sources
    }

    /// The pairs, each as the file and the folder of both versions, sorted.
    fn pairs(old: &[Declared], new: &[Declared]) -> Vec<String> {
        let shown = |source: Option<&ApplicationSource>| {
            source.map_or_else(String::new, |one| format!("{}/{}", one.place.file_name().unwrap(), one.dir.shown()))
        };
        let pairs = pair(sources(old), sources(new));
        let mut pairs: Vec<String> =
            pairs.iter().map(|pair| format!("{} > {}", shown(pair.in_old()), shown(pair.in_new()))).collect();
        pairs.sort();
        pairs
    }

    #[test]
    fn the_file_counts_before_the_folder_and_the_order_does_not() {
        let cases: [(&[Declared], &[Declared], &[&str]); 5] = [
            // The first of the new sources does not take what is another one's.
            (&[["f", "b", ""], ["f", "c", ""]], &[["f", "a", ""], ["f", "b", ""]], &["f/b > f/b", "f/c > f/a"]),
            // Two clusters that take each other's folder change both.
            (&[["f", "a", ""], ["g", "b", ""]], &[["f", "b", ""], ["g", "a", ""]], &["f/a > f/b", "g/b > g/a"]),
            (&[["f", "a", ""], ["f", "b", ""]], &[["g", "b", ""], ["g", "a", ""]], &["f/a > g/a", "f/b > g/b"]),
            (&[["f", "a", ""]], &[["f", "a", ""], ["f", "b", ""]], &[" > f/b", "f/a > f/a"]),
            (&[["f", "a", "x"], ["f", "a", "y"]], &[["f", "a", "y"]], &["f/a > ", "f/a > f/a"]),
        ];
        for (old, new, expected) in cases {
            let reversed = |all: &[Declared]| all.iter().rev().copied().collect::<Vec<_>>();
            assert_eq!(pairs(old, new), expected);
            assert_eq!(pairs(&reversed(old), &reversed(new)), expected);
        }
    }
}
