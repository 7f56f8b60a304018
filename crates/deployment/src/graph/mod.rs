//! Follows Applications from the roots down: which sources come next, and which Application renders which.

mod alike;
mod apart;
mod assumed;
mod broken_sets;
mod chain;
mod children;
mod fate;
mod own_roots;
mod replaced;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use rewrite::manifest::Manifest;
use system::PathText;

use crate::application_version::skipped_because;
use crate::applications::{self, ApplicationSource, Checkout, Declared, Skipped, SkippedBecause};
use crate::folders::Folder;
use crate::job_change::whole_jobs;
use crate::outcome::{Read, Standing};
use crate::pair::{Pair, pair};
use crate::run::Run;
use crate::skipped::{self, Rendered};
use crate::sources::Sources;
use crate::target::Target;
use crate::{base, roots, unused};
use alike::Alike;
pub(crate) use chain::step;
use chain::{Known, target};
use children::Children;
use own_roots::Owned;

/// The most Applications that render the next one, one after the other.
const MAX_DEPTH: usize = 16;

/// The most Applications of one chain that have the same folder: each could render many, all with other names, and these as many again.
const MAX_ROUNDS: usize = 3;

/// What is known of the Applications while sources are read. A source is known by its number, in the order in which sources are read.
pub(crate) struct Graph<'r> {
    run: &'r Run,
    checkout: Arc<Checkout>,
    /// The checkout of the version to compare with, once it is needed.
    base: Option<Arc<Checkout>>,
    /// The sources with each fingerprint.
    by_content: HashMap<[u8; 32], Vec<Known>>,
    /// The nodes of the sources. The number of a source is its index.
    nodes: Vec<Node>,
    /// Whether a source renders an Application in the version to compare with.
    is_in_base: bool,
    /// The sources that render the same Applications.
    alike: Alike,
    /// The Applications that are rendered.
    rendered: Children,
    /// The Applications that are rendered in the version to compare with.
    rendered_of_base: Children,
}

/// What the graph knows about a source.
#[derive(Clone, Default)]
struct Node {
    /// The source that renders its Application.
    parent: Option<usize>,
    /// Whether the change declares it in another way, or declares it first.
    is_altered: bool,
    /// Whether it renders Applications.
    is_root: bool,
    /// Whether nothing declares it: a chart with one of its value files.
    is_assumed: bool,
    /// Whether it is a chart that is read with its value files instead.
    is_replaced: bool,
    /// Whether its templates make Applications, and none with the values that are known.
    is_silent: bool,
    /// Whether it is a source of the version to compare with that this version has in another place.
    is_continued: bool,
    /// What the version to compare with declares of it, if it was found as a new one.
    of_base: Option<ApplicationSource>,
}

impl<'r> Graph<'r> {
    pub(crate) fn new(checkout: Arc<Checkout>, run: &'r Run) -> Self {
        Self {
            run,
            checkout,
            base: None,
            by_content: HashMap::new(),
            nodes: Vec::new(),
            is_in_base: false,
            alike: Alike::default(),
            rendered: Children::default(),
            rendered_of_base: Children::default(),
        }
    }

    /// The sources of the Applications that the sources `numbers` render, in both versions, and that have not been read.
    pub(crate) fn next(&mut self, read: &[Read], numbers: &[usize]) -> Result<Vec<Target>> {
        self.nodes.resize(self.nodes.len().max(read.len()), Node::default());
        for number in numbers {
            self.register(*number, &read[*number].target);
        }
        let mut next = Vec::new();
        let removed = self.removed(read, numbers);
        let declares = |number: &usize| can_declare(&read[*number]) || removed.contains(number);
        for number in numbers.iter().copied().filter(declares) {
            let one = &read[number];
            if let Some(first) = self.seen_before(number, one) {
                self.nodes[number].is_root |= self.nodes[first].is_root;
                continue;
            }
            let mut new = match one.target.old_source() {
                Some(_) => Declared::default(),
                None => applications::rendered(&one.version().manifests, &self.checkout),
            };
            let mut old = match one.base() {
                Some(base) if may_have(&base.manifests) => match self.base_checkout()? {
                    Some(checkout) => applications::rendered(&base.manifests, &checkout),
                    None => Declared::default(),
                },
                _ => Declared::default(),
            };
            new.leave_out_moved(&old, &self.checkout);
            let is_root = !(new.sources.is_empty() && old.sources.is_empty() && new.skipped.is_empty());
            self.rendered.add(number, &mut new);
            self.rendered_of_base.add(number, &mut old);
            if !is_root {
                continue;
            }
            self.nodes[number].is_root = true;
            self.is_in_base |= !old.sources.is_empty();
            self.add(number, new.sources, old.sources, read, &mut next);
        }
        Ok(next)
    }

    /// The sources among `numbers` whose Applications are known to be missing in the new version.
    fn removed(&self, read: &[Read], numbers: &[usize]) -> BTreeSet<usize> {
        let declared = read.iter().filter(|one| one.target.is_application()).filter_map(|one| one.target.application());
        let names: BTreeSet<&str> = declared.chain(self.rendered.names.iter().map(|(name, _)| name.as_str())).collect();
        let is_removed = |number: &usize| {
            let Some(source) = read[*number].target.old_source() else { return false };
            self.nodes[*number].is_assumed || !names.contains(source.name())
        };
        numbers.iter().copied().filter(is_removed).collect()
    }

    /// The numbers of all sources for whose nodes `is_meant` is true.
    fn all(&self, is_meant: fn(&Node) -> bool) -> BTreeSet<usize> {
        (0..self.nodes.len()).filter(|number| is_meant(&self.nodes[*number])).collect()
    }

    /// Whether an Application is rendered that is not read.
    pub(crate) fn has_skipped(&self) -> bool {
        !self.rendered.skipped.is_empty()
    }

    /// The checkout of the version to compare with; none if that version does not have it.
    fn base_checkout(&mut self) -> Result<Option<Arc<Checkout>>> {
        if self.base.is_none() {
            let root = base::root_in(&self.checkout, self.run)?;
            self.base = root.map(|root| Arc::new(base::checkout(root, &self.checkout)));
        }
        Ok(self.base.clone())
    }

    /// Puts a source at the end of the sources that are read next, and returns its number.
    fn push(&mut self, parent: usize, target: Target, next: &mut Vec<Target>) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node { parent: Some(parent), ..Node::default() });
        self.register(number, &target);
        next.push(target);
        number
    }

    /// Adds to `next` the sources of the Applications that the source `parent` renders, in this version and in the version of `--base`. A source that
    /// is known already is not added again.
    fn add(
        &mut self,
        parent: usize,
        new: Vec<ApplicationSource>,
        old: Vec<ApplicationSource>,
        read: &[Read],
        next: &mut Vec<Target>,
    ) {
        // What the base of the parent renders may not be known.
        let is_compared = self.run.base.is_some() && read[parent].unread_base().is_none();
        if self.chain(parent).len() >= MAX_DEPTH {
            let why = SkippedBecause::TooDeep(MAX_DEPTH);
            let skipped = new.iter().map(|source| (parent, skipped_because(source, why.clone())));
            return self.rendered.skipped.extend(skipped);
        }
        for pair in pair(old, new) {
            let has_application = matches!(pair, Pair::New { has_application: true, .. });
            let (mut source, of_base) = match pair {
                Pair::Old(source) => {
                    self.add_left(parent, *source, read, next);
                    continue;
                }
                Pair::Both { new, old } => (*new, Some(*old)),
                Pair::New { new, .. } | Pair::Single(new) => (*new, None),
            };
            if let Some(dir) = source.dir_here().filter(|dir| self.rounds(parent, dir, read, next) >= MAX_ROUNDS) {
                let why = SkippedBecause::Circle(dir.in_slashes().into_owned());
                self.rendered.skipped.push((parent, skipped_because(&source, why)));
                continue;
            }
            // Such a set leaves the Application as it is.
            if let Some(old) = of_base.as_ref().filter(|_| source.set.as_ref().is_some_and(|set| set.0.updates_nothing))
            {
                source = old.clone();
            }
            let here = self.known_below_root_of(parent, &source, read);
            // Each cluster gets one that is new. Of the others one row says enough: the same change reaches all of them.
            let is_new = is_compared && of_base.is_none() && !has_application;
            let is_told = |known: &usize| self.is_told_twice(*known, &source, parent, read, next);
            let known = here.or_else(|| self.known(&source).filter(|known| !is_new || is_told(known)));
            let ended = known.filter(|known| target(*known, read, next).old_source().is_some());
            if let Some(ended) = ended {
                self.connect(ended, parent, read);
                self.nodes[ended].is_continued = true;
            }
            let of_base = of_base.or_else(|| ended.map(|_| source.clone()));
            let is_altered = is_compared && of_base.as_ref().is_none_or(|old| !source.is_declared_like(old));
            let number = match known.filter(|_| ended.is_none()) {
                Some(known) => {
                    self.connect(known, parent, read);
                    if target(known, read, next).is_new() {
                        self.nodes[known].of_base = of_base.or(self.nodes[known].of_base.take());
                    }
                    known
                }
                None => {
                    // The source that ends makes room for it.
                    if let Some(alike) = self.by_content.get_mut(&source.fingerprint()) {
                        alike.retain(|one| ended != Some(one.number));
                    }
                    let pair = match of_base {
                        Some(of_base) => Pair::both(source, of_base),
                        None if is_compared => Pair::New { new: Box::new(source), has_application },
                        None => Pair::single(source),
                    };
                    self.push(parent, Target::Application(pair, Arc::clone(&self.checkout)), next)
                }
            };
            self.nodes[number].is_altered |= is_altered;
        }
    }

    /// Adds the source of an Application that `parent` renders only in the version to compare with.
    fn add_left(&mut self, parent: usize, source: ApplicationSource, read: &[Read], next: &mut Vec<Target>) {
        if source.dir_here().is_some_and(|dir| self.rounds(parent, dir, read, next) >= MAX_ROUNDS) {
            return;
        }
        let here = self.known_below_root_of(parent, &source, read);
        let is_told = |known: &usize| {
            target(*known, read, next).old_source().is_some() && self.is_told_twice(*known, &source, parent, read, next)
        };
        let Some(known) = here.or_else(|| self.known(&source).filter(is_told)) else {
            let pair = Pair::Old(Box::new(source));
            self.push(parent, Target::Application(pair, Arc::clone(&self.checkout)), next);
            return;
        };
        if target(known, read, next).is_new() {
            self.nodes[known].of_base = Some(source);
        } else if !target(known, read, next).is_application() || self.root(known).is_some() {
            self.connect(known, parent, read);
        }
    }

    /// Gives each source its parents. Leaves out Applications that a source renders with other settings, folders that Applications name, and
    /// unless they are wanted, folders that no Application names: they are counted in `sources`.
    pub(crate) fn finish(mut self, mut read: Vec<Read>, sources: &mut Sources) -> Vec<Read> {
        let run = self.run;
        self.tell_broken_sets(&mut read);
        self.tell_known_names(&mut read, sources);
        let names = self.names(&read);
        let named: BTreeSet<PathBuf> = read
            .iter()
            .filter_map(|one| unused::settled(one, run))
            .filter_map(|source| source.settles(&self.checkout.root, run.base.is_some()))
            .collect();
        let used = unused::used(&read, &self.checkout.root);
        // A change that brings the first Application must not hide all folders.
        let has_roots = self.nodes.iter().any(|node| node.is_root) && (run.base.is_none() || self.is_in_base);
        let (assumed, replaced) = (self.all(|node| node.is_assumed), self.all(|node| node.is_replaced));
        let above = roots::above(&read, &assumed);
        let unreal = self.unreal(&read, &assumed, &replaced);
        let superseded = self.superseded(&read);
        let owned = Owned::of(&self, &read, [&assumed, &unreal, &superseded]);
        let now = self.now(&read, sources);
        let fates = self.fates(&read, &now);
        self.tell_lost(&read, &now, sources);
        let is_there = |one: &Read| one.target.is_application() || now.keeps(&one.target);
        let has_applications = (sources.has_applications || has_roots) && read.iter().any(is_there);
        let (mut left, mut kept) = (Vec::new(), replaced.clone());
        for ((number, mut one), fate) in read.into_iter().enumerate().zip(fates) {
            let is_left = match &one.target {
                Target::Application(Pair::Old(_), _) => !self.nodes[number].is_continued,
                Target::Application(..) => !unreal.contains(&number) && !superseded.contains(&number),
                Target::Folder(Folder { is_file: false, .. })
                    if has_applications && !self.is_own_root(number, &one.target, &owned) =>
                {
                    self.keeps_folder(number, &mut one, (&named, &used), sources)
                }
                // The row of the Application says what the folder loses.
                Target::Folder(_) => !unused::is_named(&one.target, &named) || one.target.path().exists(),
                _ => true,
            };
            if is_left {
                // The Application that names a folder renders the same as the folder.
                if one.target.source().is_some() || !unused::is_named(&one.target, &named) {
                    kept.insert(number);
                }
                self.settle(number, &mut one, fate, &above);
                one.from = self.from(number, &one.target, &names);
                one.is_assumed_root = self.nodes[number].is_assumed;
                left.push(one);
            }
        }
        sources.told = broken_sets::places(&left);
        unused::count(sources, &named, (&left, &self.rendered.skipped), run);
        self.leave_out_what_rows_say(&left, sources);
        let found = self.rendered.skipped.iter().filter(|(parent, _)| self.alike.is_in(&kept, *parent));
        let found = found.map(|(parent, skipped)| Rendered { chain: self.chain(*parent), skipped }).collect();
        let is_known = sources.skipped.is_empty() || sources.skipped_of_base.is_some();
        if run.base.is_some() && is_known {
            let skipped = self.rendered_of_base.skipped.into_iter().map(|(_, skipped)| skipped);
            sources.skipped_of_base.get_or_insert_default().extend(skipped);
        }
        sources.rendered = skipped::each_once(found, &sources.skipped, &replaced, &assumed, &names);
        left
    }

    /// Leaves out the Applications that are not read because their folder is not there, if the row of the folder says so.
    fn leave_out_what_rows_say(&mut self, left: &[Read], sources: &mut Sources) {
        let lost: BTreeSet<&str> = left
            .iter()
            .filter(|one: &&Read| one.has_lost_folder())
            .filter_map(|one| one.target.application())
            .collect();
        let is_said = |skipped: &Skipped| fate::is_without_folder(skipped) && lost.contains(skipped.name.as_str());
        sources.skipped.retain(|skipped| !is_said(skipped));
        self.rendered.skipped.retain(|(_, skipped)| !is_said(skipped));
    }

    /// For each source the steps that it adds to the way from the root: its ApplicationSet and its own name.
    fn names(&self, read: &[Read]) -> Vec<Vec<String>> {
        let steps = |(one, node): (&Read, &Node)| one.target.set().into_iter().chain([step(one, node.is_assumed)]);
        read.iter().zip(&self.nodes).map(|both| steps(both).collect()).collect()
    }

    /// Whether a folder in a checkout with Applications stays among the sources. If it does not, it is counted in `sources`.
    /// Applications name the folders `named`, and read the folders `used`.
    fn keeps_folder(
        &self,
        number: usize,
        one: &mut Read,
        (named, used): (&BTreeSet<PathBuf>, &BTreeSet<PathBuf>),
        sources: &mut Sources,
    ) -> bool {
        let is_named = self.nodes[number].is_replaced || unused::is_named(&one.target, named);
        let is_own = !is_named && one.target.part_of().is_none();
        // Applications are in it, or in what it uses.
        if is_own && (self.nodes[number].is_silent || sources.has_applications && one.failure().is_some()) {
            return true;
        }
        one.standing = Standing::Unnamed;
        if is_own && !self.run.unused {
            if !unused::is_named(&one.target, used) {
                sources.passed_over.unused += 1;
                sources.passed_over.unused_jobs += whole_jobs(one.version()).map_or(0, |jobs| jobs.len());
                if one.failure().is_some() {
                    sources.passed_over.unused_templates += unused::job_templates(&one.target);
                }
            }
            unused::changed_jobs(&one.target, self.run).add_to(sources);
        }
        !is_named && self.run.unused
    }
}

/// Whether what a source renders can have Applications.
pub(crate) fn may_declare(read: &Read) -> bool {
    let versions = [Some(read.version()), read.base()];
    versions.into_iter().flatten().any(|version| may_have(&version.manifests))
}

/// Whether a source was read, and is whole: a part of another source is not what Argo CD applies.
fn can_declare(read: &Read) -> bool {
    read.failure().is_none() && read.target.part_of().is_none()
}

fn may_have(manifests: &[Manifest]) -> bool {
    manifests.iter().any(|manifest| applications::may_have_applications(&manifest.text))
}
