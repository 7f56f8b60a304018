//! Leaves out folders that are only parts of other sources, such as the base of an overlay: if the sources that use a part show what it shows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use checkout::clean;
use render::Lack;
use rewrite::settings::SourceKind;
use rewrite::version::Version;
use text::Origin;

use crate::folders::Folder;
use crate::job_change::JobChange;
use crate::outcome::{Failure, Read};
use crate::paths::real;
use crate::target::Target;

/// Removes the parts whose Jobs other sources show; returns the other sources, and how many parts were removed.
pub(crate) fn without_parts(read: Vec<Read>) -> (Vec<Read>, usize) {
    let users = Users::of(&read);
    let is_part: Vec<bool> = (0..read.len()).map(|index| users.show(index)).collect();
    let parts = is_part.iter().filter(|is_part| **is_part).count();
    let left = read.into_iter().zip(is_part).filter(|(_, is_part)| !is_part).map(|(one, _)| one).collect();
    (left, parts)
}

/// All sources, to find the sources that use a part.
struct Users<'r> {
    read: &'r [Read],
    /// The indices into `read`, by folder.
    at: BTreeMap<PathBuf, Vec<usize>>,
    /// The indices of the sources of Applications, by the name of the Application.
    of: BTreeMap<&'r str, Vec<usize>>,
}

/// One of the two versions of a source.
type Of = fn(&Read) -> Option<&Version>;

const BOTH: [Of; 2] = [|read| Some(read.version()), Read::base];

impl<'r> Users<'r> {
    fn of(read: &'r [Read]) -> Self {
        let (mut at, mut of) = (BTreeMap::<PathBuf, Vec<usize>>::new(), BTreeMap::<&str, Vec<usize>>::new());
        for (index, one) in read.iter().enumerate() {
            at.entry(real(&one.target.path())).or_default().push(index);
            if let Some(name) = one.target.application() {
                of.entry(name).or_default().push(index);
            }
        }
        Self { read, at, of }
    }

    /// Whether the source is a part of other sources, and they show what it shows.
    fn show(&self, index: usize) -> bool {
        let part = &self.read[index];
        if part.gone().is_some() || part.has_lost_folder() || part.is_lost() {
            return false;
        }
        if matches!(&part.target, Target::Folder(Folder { renderer: None, is_file: false, .. }))
            && self.is_read_from_above(index)
        {
            return true;
        }
        if matches!(&part.target, Target::Folder(folder) if folder.is_test_of_a_chart()) {
            return true;
        }
        if part.target.part_of().is_none() {
            return false;
        }
        if self.is_template(part) {
            return true;
        }
        if let Some(failure) = part.failure() {
            // Most parts that cannot be rendered alone cannot be rendered by Argo CD either. With the network, Argo CD may be able to.
            return !failure.is_unread
                && (part.old.is_none() || part.was_broken() || part.breaks() || !needs_network(failure));
        }
        let users = self.users(index);
        if self.is_plain_part_of_unread_chart(part, &users) {
            return true;
        }
        if part.target.old_source().is_some() && users.is_empty() {
            return false;
        }
        JobChange::count(part).is_some_and(|wanted| {
            let users = users.iter().filter(|_| !wanted.is_empty());
            let shown: Vec<_> = users.filter_map(|user| JobChange::count(&self.read[*user])).collect();
            let is_shown = |(change, count)| shown.iter().any(|shown| shown.get(change) >= Some(count));
            wanted.iter().all(is_shown)
        })
    }

    /// Whether it has the templates of a chart that is read, too. Only helm knows what happens to them, and their texts as they are say nothing: a
    /// quoted `'{{ .Values.image }}'` is valid YAML.
    fn is_template(&self, part: &Read) -> bool {
        let Target::Folder(folder @ Folder { renderer: None, .. }) = &part.target else { return false };
        let mut users = folder.users_with_it_in("templates");
        let is_chart = |other: &usize| self.read[*other].target.kind() == SourceKind::Helm.as_str();
        users.any(|user| self.at.get(&real(user)).into_iter().flatten().any(is_chart))
    }

    /// Whether it is plain YAML in a chart that could not be rendered: the row of the chart says so.
    fn is_plain_part_of_unread_chart(&self, part: &Read, users: &BTreeSet<usize>) -> bool {
        let is_plain = matches!(&part.target, Target::Folder(Folder { renderer: None, .. }));
        let is_unread = |user: &Read| user.failure().is_some() && user.target.kind() == SourceKind::Helm.as_str();
        is_plain && users.iter().any(|user| is_unread(&self.read[*user]))
    }

    /// The indices of the sources that use a part, directly or through other parts, and are not parts themselves.
    fn users(&self, index: usize) -> BTreeSet<usize> {
        let (mut seen, mut todo) = (BTreeSet::from([index]), vec![index]);
        while let Some(next) = todo.pop() {
            let part = &self.read[next].target;
            // An Application that the change moves is in another folder.
            if let Some(source) = part.old_source() {
                let same = self.of.get(source.name()).into_iter().flatten().copied();
                todo.extend(same.filter(|user| seen.insert(*user)));
                continue;
            }
            for user in part.part_of().unwrap_or_default() {
                let here = self.at.get(&real(&user)).into_iter().flatten().copied();
                todo.extend(here.filter(|user| seen.insert(*user)));
            }
        }
        seen.retain(|user| self.read[*user].target.part_of().is_none());
        seen
    }

    /// Whether, in both versions, a source in a folder above reads all manifests of this folder (`recurse`).
    fn is_read_from_above(&self, index: usize) -> bool {
        let own = &self.read[index];
        let is_empty = BOTH.into_iter().filter_map(|version| version(own)).all(|version| version.manifests.is_empty());
        if own.failure().is_some() || is_empty {
            return false;
        }
        let dir = real(&own.target.path());
        let above = dir.ancestors().skip(1).filter_map(|above| self.at.get(above)).flatten();
        above.filter(|other| **other != index).any(|other| {
            BOTH.into_iter().all(|version| match (version(&self.read[*other]), version(own)) {
                (Some(above), Some(own)) => {
                    let files = files(above);
                    self.read[*other].failure().is_none()
                        && own.manifests.iter().all(|one| is_among(&one.origin, &files))
                }
                (_, own) => own.is_none(),
            })
        })
    }
}

/// Whether a part cannot be read here because helm or kustomize would need the network.
fn needs_network(failure: &Failure) -> bool {
    failure.lack == Some(Lack::Network)
}

fn files(version: &Version) -> BTreeSet<PathBuf> {
    let file = |origin: &Origin| match origin {
        Origin::File(path) => Some(clean(path)),
        _ => None,
    };
    version.manifests.iter().filter_map(|manifest| file(&manifest.origin)).collect()
}

fn is_among(origin: &Origin, files: &BTreeSet<PathBuf>) -> bool {
    matches!(origin, Origin::File(path) if files.contains(&clean(path)))
}
