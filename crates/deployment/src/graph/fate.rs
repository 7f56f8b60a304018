//! Follows a change from the root down to the Applications, and decides what deletes an Application that nothing declares any more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_jobs::argocd::{Arrival, DeletedBy, Gone};
use system::PathText;
use text::Origin;

use super::Graph;
use crate::applications::{ApplicationSource, Removal, SetPolicy, Skipped, SkippedBecause};
use crate::outcome::{Fate, Owner, Read};
use crate::pair::Pair;
use crate::roots::Above;
use crate::run::Run;
use crate::sources::Sources;
use crate::target::Target;

/// The Applications that the new version has.
pub(super) struct Now {
    /// The names of all Applications, read or not, each with the number of its root. Two roots can be two clusters, each with an
    /// Application of the same name.
    names: BTreeSet<(String, Option<usize>)>,
    /// The names of the Applications that are new below a root: they may come from another root.
    arrived: BTreeSet<String>,
    /// The names of the Applications whose folder is not there.
    without_folder: BTreeSet<String>,
    /// The Applications below a root for which the change names a folder that does not exist.
    misled: BTreeSet<(String, Option<usize>)>,
    /// The names of the Applications with a source that is not read, for a reason that no source of the other version had: it may be one that was read
    /// there.
    newly_skipped: BTreeSet<String>,
    /// The names of the ApplicationSets.
    sets: BTreeSet<String>,
}

impl Now {
    /// Whether an Application stays as it is: its set is not expanded now.
    pub(super) fn keeps(&self, target: &Target) -> bool {
        target.set().is_some_and(|set| self.is_anywhere(&set))
    }

    /// The names of the Applications.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.names.iter().map(|(name, _)| name)
    }

    fn is_anywhere(&self, name: &str) -> bool {
        self.names.range((name.to_owned(), None)..).next().is_some_and(|(first, _)| first == name)
    }

    /// Whether there is an Application of this name below the root, or one that may be from there.
    fn has(&self, name: &str, root: Option<usize>) -> bool {
        let is_there = |root| self.names.contains(&(name.to_owned(), root));
        is_there(root) || is_there(None) || self.arrived.contains(name) || root.is_none() && self.is_anywhere(name)
    }
}

/// Whether its folder is why an Application is not read.
pub(super) fn is_without_folder(skipped: &Skipped) -> bool {
    matches!(skipped.why, SkippedBecause::NoSuchDirectory(_))
}

/// Why the folder of an Application that stays is not there.
const DELETED: &str = "the change deletes its folder, and the Application stays";
const MISLED: &str = "the change names another folder, which is not there";

/// Where an Application is, if it was found in a file: its folder, because several are often applied together. None for what somebody typed: that is what
/// Argo CD has.
fn folder_of_file(target: &Target, run: &Run) -> Option<String> {
    let source = target.source().filter(|_| run.applications.is_none())?;
    let Origin::File(file) = &source.place.origin else { return None };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    Some(folder.unwrap_or(file).shown().to_string())
}

impl Graph<'_> {
    /// The names in the new version, whose sources are `read`.
    pub(super) fn now(&self, read: &[Read], sources: &Sources) -> Now {
        let rendered = |names: &[(String, usize)]| -> BTreeSet<(String, Option<usize>)> {
            names.iter().map(|(name, parent)| (name.clone(), Some(self.top(*parent)))).collect()
        };
        let mut names = rendered(&self.rendered.names);
        let arrived = names.difference(&rendered(&self.rendered_of_base.names)).map(|(name, _)| name.clone()).collect();
        let declared = read.iter().enumerate().filter(|(_, one)| one.target.is_application());
        let declared = declared.filter(|(number, _)| self.root(*number).is_none());
        let declared = declared.filter_map(|(_, one)| one.target.application());
        let in_files = sources.skipped.iter().map(|skipped| skipped.name.as_str());
        names.extend(declared.chain(in_files).map(|name| (name.to_owned(), None)));
        let skipped = || sources.skipped.iter().chain(self.rendered.skipped.iter().map(|(_, skipped)| skipped));
        let mut before: BTreeMap<&str, Vec<&SkippedBecause>> = BTreeMap::new();
        let of_base = self.rendered_of_base.skipped.iter().map(|(_, skipped)| skipped);
        for skipped in sources.skipped_of_base.iter().flatten().chain(of_base) {
            before.entry(&skipped.name).or_default().push(&skipped.why);
        }
        let is_new = |one: &&Skipped| before.get(one.name.as_str()).is_none_or(|before| !before.contains(&&one.why));
        let newly_skipped = skipped().filter(is_new).map(|skipped| skipped.name.clone()).collect();
        let without_folder = skipped().filter(|skipped| is_without_folder(skipped));
        let without_folder = without_folder.map(|skipped| skipped.name.clone()).collect();
        let nowhere = |skipped: &[(usize, Skipped)]| -> BTreeSet<(String, Option<usize>)> {
            let found = skipped.iter().filter(|(_, skipped)| is_without_folder(skipped));
            found.map(|(parent, skipped)| (skipped.name.clone(), Some(self.top(*parent)))).collect()
        };
        let misled = &nowhere(&self.rendered.skipped) - &nowhere(&self.rendered_of_base.skipped);
        Now { names, arrived, without_folder, misled, newly_skipped, sets: &self.rendered.sets | &sources.sets }
    }

    /// Notes in `sources` which Applications there are, and which that are not rendered are not there any more.
    pub(super) fn tell_lost(&self, read: &[Read], now: &Now, sources: &mut Sources) {
        (sources.declared, sources.lost) = (now.names().cloned().collect(), self.lost(now));
        sources.gone_unread = self.gone_unread(read, now, sources);
    }

    /// The names of the Applications that are not rendered and that a root loses.
    fn lost(&self, now: &Now) -> BTreeSet<String> {
        let is_lost = |(parent, skipped): &&(usize, Skipped)| !now.has(&skipped.name, Some(self.top(*parent)));
        let lost = self.rendered_of_base.skipped.iter().filter(is_lost);
        lost.map(|(_, skipped)| skipped.name.clone()).collect()
    }

    /// Puts into a source what happens to its Application, and how it gets there.
    pub(super) fn settle(&self, number: usize, one: &mut Read, fate: Fate, above: &Above) {
        if above.unknown[number].is_some() {
            one.owner = Owner::Unknown;
        }
        one.settle(fate);
        let (gone, is_lost) = (one.gone().cloned(), one.is_lost());
        let policy = one.target.source().and_then(ApplicationSource::sync).cloned();
        let arrival = self.arrival(number, &one.target, above);
        let Ok(new) = &mut one.new else { return };
        let has_policy = policy.is_some();
        if gone.is_some() || is_lost {
            new.application.sync = new.application.sync.take().or(policy);
        }
        let arrival = Arrival { gone, ..arrival };
        // That of a root that this program made up stays unknown.
        if has_policy && arrival != Arrival::default() {
            Arc::make_mut(new.application.sync.get_or_insert_default()).arrival = arrival;
        }
    }

    fn arrival(&self, child: usize, target: &Target, above: &Above) -> Arrival {
        let chain = self.chain(child);
        let altered = chain.windows(2).take_while(|pair| self.nodes[pair[0]].is_altered);
        let first = |names: &[Option<String>]| altered.clone().find_map(|pair| names[pair[1]].clone());
        let set = target.source().and_then(|source| source.set.as_ref()).map(|(policy, _)| policy);
        let is_altered = self.nodes[child].is_altered || target.pair().is_some_and(Pair::is_altered);
        let of_file = || folder_of_file(target, self.run).filter(|_| is_altered && chain.len() == 1);
        Arrival {
            is_new: target.is_new(),
            gone: None,
            kept_out: None,
            after: first(&above.manual),
            with_root: first(&above.unknown).or_else(of_file),
            rolling: set.filter(|set| set.is_rolling).map(|set| set.name.clone()),
        }
    }

    /// What the change makes of the Application of each source. One that loses a source is altered.
    pub(super) fn fates(&mut self, read: &[Read], now: &Now) -> Vec<Fate> {
        let fates: Vec<Fate> = (0..read.len()).map(|number| self.fate(number, read, now)).collect();
        for (node, fate) in self.nodes.iter_mut().zip(&fates) {
            node.is_altered |= matches!(fate, Fate::LosesSource);
        }
        fates
    }

    /// What the change makes of the Application of the source `number`.
    fn fate(&self, number: usize, read: &[Read], now: &Now) -> Fate {
        let target = &read[number].target;
        let Some(source) = target.old_source() else { return Fate::Stays };
        // This program made it up for a chart that it reads as a root.
        if self.nodes[number].is_assumed {
            return Fate::Stays;
        }
        let loses_folder = || source.elsewhere.is_none() && !target.path().exists();
        match now.has(source.name(), self.root(number)) {
            true if now.without_folder.contains(source.name()) && loses_folder() => return Fate::LosesFolder(DELETED),
            true if now.misled.contains(&(source.name().to_owned(), self.root(number))) => {
                return Fate::LosesFolder(MISLED);
            }
            true if !now.newly_skipped.contains(source.name()) && self.is_lost(number, source, read) => {
                return Fate::LosesSource;
            }
            true => return Fate::Stays,
            false if now.keeps(target) => return Fate::Stays,
            false => {}
        }
        let (set, above) = (source.set.as_ref().map(|(set, _)| &**set), self.nodes[number].parent);
        let Some(by) = self.deleted_by((set, source.removal), above, read, now) else {
            return if loses_folder() { Fate::LosesFolder(DELETED) } else { Fate::Stays };
        };
        let has_folder = target.is_elsewhere() || target.path().is_dir();
        Fate::Gone(Gone { by, with_resources: source.removal.with_resources, has_folder })
    }

    /// Whether the Application of an old source is still declared in the same place, and does not have the source any more. A source that only changes is not
    /// lost: if nobody applies the file that declares it, Argo CD keeps the old one.
    fn is_lost(&self, number: usize, source: &ApplicationSource, read: &[Read]) -> bool {
        let root = self.root(number);
        let of_application = read.iter().enumerate().filter_map(|(other, one)| Some((other, one.target.pair()?)));
        let mut of_application = of_application.filter(|(other, pair)| {
            let one = pair.source();
            let is_at_place = self.root(*other) == root && (root.is_some() || one.place.origin == source.place.origin);
            is_at_place && one.name() == source.name() && pair.in_new().is_some()
        });
        let is_updated = |one: &ApplicationSource| one.set.as_ref().is_none_or(|(set, _)| !set.updates_nothing);
        let is_other = |(_, pair): (usize, &Pair)| {
            is_updated(pair.source()) && pair.in_old().is_none_or(|old| !old.is_declared_like(source))
        };
        of_application.next().is_some_and(is_other) && of_application.all(is_other)
    }

    /// What happens to the Applications that are not read and that the new version does not have: a name, and what the change makes of it.
    fn gone_unread(&self, read: &[Read], now: &Now, sources: &Sources) -> Vec<(String, Gone)> {
        let in_files = sources.skipped_of_base.iter().flatten().map(|skipped| (None, skipped));
        let rendered = self.rendered_of_base.skipped.iter().map(|(parent, skipped)| (Some(*parent), skipped));
        let is_by_application =
            |above: &Option<usize>| above.is_some_and(|above| read[above].target.source().is_some());
        // Its file and its folder are read too, and say less.
        let by_applications = rendered.clone().filter(|(above, _)| is_by_application(above));
        let told: Vec<(&str, &SkippedBecause)> =
            by_applications.map(|(_, one)| (one.name.as_str(), &one.why)).collect();
        let says_most = |(above, one): &(Option<usize>, &Skipped)| {
            is_by_application(above) || !told.contains(&(one.name.as_str(), &one.why))
        };
        let gone = |(above, skipped): (Option<usize>, &Skipped)| {
            let root = above.map(|above| self.top(above));
            if now.has(&skipped.name, root) || skipped.set.as_ref().is_some_and(|set| now.is_anywhere(&set.name)) {
                return None;
            }
            let by = self.deleted_by((skipped.set.as_deref(), skipped.removal), above, read, now)?;
            // That of a chart in another repository stays.
            let has_folder = !is_without_folder(skipped);
            Some((skipped.name.clone(), Gone { by, with_resources: skipped.removal.with_resources, has_folder }))
        };
        in_files.chain(rendered).filter(says_most).filter_map(gone).collect()
    }

    /// What deletes an Application of a set, or with this removal, that the source `above` rendered; none if nothing does.
    fn deleted_by(
        &self,
        (set, removal): (Option<&SetPolicy>, Removal),
        above: Option<usize>,
        read: &[Read],
        now: &Now,
    ) -> Option<DeletedBy> {
        match set {
            // It also lets its Applications go when it is deleted itself (`removeOwnerReferencesOnDeleteAppSet`).
            Some(set) if set.deletes_nothing => return None,
            Some(set) if now.sets.contains(&set.name) => return Some(DeletedBy::Set(set.name.clone())),
            None if removal.is_kept => return None,
            _ => {}
        }
        let Some(above) = above.filter(|above| !self.nodes[*above].is_assumed) else {
            return Some(DeletedBy::Unknown);
        };
        let Some(root) = read[above].target.source() else { return Some(DeletedBy::Unknown) };
        let name = root.name().to_owned();
        if let Fate::Gone(gone) = self.fate(above, read, now) {
            return gone.with_resources.then_some(DeletedBy::With(name));
        }
        let prunes = root.sync().and_then(|sync| sync.automated).is_some_and(|automated| automated.prune);
        Some(if prunes { DeletedBy::Sync(name) } else { DeletedBy::Pruning(name) })
    }
}
