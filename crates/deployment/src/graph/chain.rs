//! The chains from the roots to the sources: which source renders which Application.

use std::path::{Path, PathBuf};

use text::Origin;

use super::Graph;
use crate::applications::ApplicationSource;
use crate::outcome::Read;
use crate::paths::real;
use crate::target::Target;

/// A source that is known by its content.
pub(super) struct Known {
    pub(super) number: usize,
    /// The file that declares it, relative to the root of its version.
    file: Option<PathBuf>,
}

impl Graph<'_> {
    /// How many of the sources from `number` to the root read the folder `dir`.
    pub(super) fn rounds(&self, number: usize, dir: &Path, read: &[Read], next: &[Target]) -> usize {
        let is_of_dir = |number: &usize| {
            target(*number, read, next).source().and_then(ApplicationSource::dir_here).is_some_and(|own| own == dir)
        };
        self.chain(number).iter().filter(|number| is_of_dir(number)).count()
    }

    /// Notes that the source `parent` renders the Application of `child`, unless it is the other way. A folder makes room for an Application.
    pub(super) fn connect(&mut self, child: usize, parent: usize, read: &[Read]) {
        let is_folder = |number: usize| read.get(number).is_some_and(|one| one.target.source().is_none());
        let is_free = self.nodes[child].parent.is_none_or(|known| is_folder(known) && !is_folder(parent));
        if child != parent && is_free && !self.chain(parent).contains(&child) {
            self.nodes[child].parent = Some(parent);
        }
    }

    /// The number of a source that is declared in the same way: in the same file, if there is one, or else in whichever file. Two clusters can have an
    /// Application of the same content.
    pub(super) fn known(&self, source: &ApplicationSource) -> Option<usize> {
        self.known_where(source, |_| true)
    }

    /// Likewise, but only among the sources below the root of `parent`. Another root can be another cluster, which has its own Application.
    pub(super) fn known_below_root_of(
        &self,
        parent: usize,
        source: &ApplicationSource,
        read: &[Read],
    ) -> Option<usize> {
        let is_here = |root| root == self.top(parent) || self.is_of_parent(root, parent, read);
        self.known_where(source, |known| self.root(known).is_none_or(is_here))
    }

    fn known_where(&self, source: &ApplicationSource, is_meant: impl Fn(usize) -> bool) -> Option<usize> {
        let alike = self.by_content.get(&source.fingerprint())?.iter().filter(|one| is_meant(one.number));
        let alike: Vec<&Known> = alike.collect();
        let [first, _, ..] = alike.as_slice() else { return alike.first().map(|one| one.number) };
        let file = self.file(source);
        let of_file = alike.iter().find(|one| one.file.is_some() && one.file == file);
        Some(of_file.unwrap_or(first).number)
    }

    /// Whether `known` is the Application `source`, which `parent` renders too: the same file declares both, and one of them is known because its folder is read.
    /// An Application above reads that file as well, so the folder is not another root.
    pub(super) fn is_told_twice(
        &self,
        known: usize,
        source: &ApplicationSource,
        parent: usize,
        read: &[Read],
        next: &[Target],
    ) -> bool {
        let file = self.file(source);
        let alike = self.by_content.get(&source.fingerprint());
        let is_of_file = |one: &Known| one.number == known && one.file.is_some() && one.file == file;
        let is_folder = |number: usize| target(number, read, next).source().is_none();
        let is_by_folder = is_folder(parent) || self.nodes[known].parent.is_some_and(is_folder);
        is_by_folder && alike.is_some_and(|alike| alike.iter().any(is_of_file))
    }

    /// Registers the Application of the source `number`. A second call changes nothing.
    pub(super) fn register(&mut self, number: usize, target: &Target) {
        let Some(source) = target.source() else { return };
        let file = self.file(source);
        let alike = self.by_content.entry(source.fingerprint()).or_default();
        if !alike.iter().any(|one| one.number == number) {
            alike.push(Known { number, file });
        }
    }

    /// The file that declares a source, relative to the root of its version.
    fn file(&self, source: &ApplicationSource) -> Option<PathBuf> {
        let Origin::File(path) = &source.place.origin else { return None };
        let path = real(path);
        let roots = self.base.iter().chain([&self.checkout]).map(|checkout| &checkout.root);
        roots.filter_map(|root| path.strip_prefix(root).ok()).next().map(Path::to_owned)
    }

    /// The sources that render a source's Application, from itself to the root.
    pub(super) fn chain(&self, number: usize) -> Vec<usize> {
        std::iter::successors(Some(number), |number| self.nodes.get(*number)?.parent).collect()
    }

    /// The root of the chain to a source; the source itself if nothing renders it.
    pub(super) fn top(&self, number: usize) -> usize {
        self.chain(number).last().copied().unwrap_or(number)
    }

    /// The root that a source's Application is below; none for one that only a file declares.
    pub(super) fn root(&self, number: usize) -> Option<usize> {
        Some(self.top(number)).filter(|top| *top != number)
    }

    /// The names from the root to a source: for each source above it, its ApplicationSet and its own name; then the source's own ApplicationSet.
    pub(super) fn from(&self, number: usize, target: &Target, names: &[Vec<String>]) -> Vec<String> {
        let above = self.chain(number).into_iter().skip(1).collect::<Vec<_>>().into_iter().rev();
        above.flat_map(|above| names[above].clone()).chain(target.set()).collect()
    }
}

/// A source by its number: it is read, or comes next.
pub(super) fn target<'t>(number: usize, read: &'t [Read], next: &'t [Target]) -> &'t Target {
    read.get(number).map_or_else(|| &next[number - read.len()], |one| &one.target)
}

/// What a source is called in the chain from the root: its Application, or else its folder; a chart that nothing declares with its value file.
pub(crate) fn step(read: &Read, is_assumed: bool) -> String {
    let file = read.target.source().filter(|_| is_assumed).and_then(|source| source.place.file_name());
    match (read.target.application(), file) {
        (Some(name), Some(file)) if name == read.shown_as => format!("{name} ({file})"),
        (Some(name), Some(file)) => format!("{name} ({}, {file})", read.shown_as),
        (Some(name), _) => name.to_owned(),
        (None, _) => read.shown_as.clone(),
    }
}
