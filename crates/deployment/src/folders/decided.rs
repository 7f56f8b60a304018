//! Combines the folders found in both versions of a comparison: the change can add sources, but it cannot turn a
//! source into a part of another one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use checkout::clean;

use super::{Folder, Found};

/// The entries for a folder in one version: as a source of its own, and as a part of other sources.
#[derive(Default)]
struct Entries {
    own: Option<Folder>,
    part: Option<Folder>,
}

impl Entries {
    fn either(&self) -> impl Iterator<Item = &Folder> {
        self.own.iter().chain(&self.part)
    }

    fn files(folder: Option<&Folder>) -> impl Iterator<Item = &PathBuf> {
        folder.into_iter().flat_map(|folder| &folder.files)
    }
}

impl Found {
    /// The same result with each path below `from` moved below `to`.
    #[must_use]
    pub fn moved(mut self, from: &Path, to: &Path) -> Self {
        let moved = |path: &Path, from: &Path| match path.strip_prefix(from) {
            Ok(below) if below.as_os_str().is_empty() => to.to_owned(),
            Ok(below) => to.join(below),
            Err(_) => path.to_owned(),
        };
        for folder in &mut self.folders {
            folder.dir = moved(&folder.dir, from);
            for user in folder.part_of.iter_mut().flatten() {
                *user = clean(&moved(user, &clean(from)));
            }
        }
        self
    }

    /// Merges what was found in both versions, which must have the same paths. A folder that is a source of its own
    /// in the base stays one, and so does each of its files. A part stays a part of the sources that use it in the
    /// base, if the base has it.
    #[must_use]
    pub fn decided_by(self, base: Self) -> Self {
        let mut folders: BTreeMap<PathBuf, [Entries; 2]> = BTreeMap::new();
        for (version, found) in [base.folders, self.folders].into_iter().enumerate() {
            for folder in found {
                let entries = &mut folders.entry(folder.dir.clone()).or_default()[version];
                let slot = if folder.part_of.is_some() { &mut entries.part } else { &mut entries.own };
                *slot = Some(folder);
            }
        }
        let folders = folders.into_iter().flat_map(|(dir, entries)| decided(&dir, &entries)).collect();
        Self { folders, ..self }
    }
}

fn decided(dir: &Path, [base, head]: &[Entries; 2]) -> Vec<Folder> {
    let users = base.part.as_ref().or(head.part.as_ref()).and_then(|part| part.part_of.clone());
    let is_known = base.either().next().is_some();
    // The last entry is the head's, if the head has a renderer: its tool wins.
    let renderer = base.either().chain(head.either()).filter_map(|folder| folder.renderer).last();
    if renderer.is_some() {
        let is_own = base.own.is_some() || head.own.is_some();
        let part_of = users.filter(|_| !is_own);
        // The version without a renderer needs the names of its plain manifests.
        let files = base.either().chain(head.either()).flat_map(|folder| &folder.files);
        let files: BTreeSet<PathBuf> = files.cloned().collect();
        return vec![Folder { part_of, ..Folder::new(dir, renderer, files.into_iter().collect()) }];
    }
    let set = |folder: &Option<Folder>| Entries::files(folder.as_ref()).cloned().collect::<BTreeSet<PathBuf>>();
    let [old_own, old_part, new_own, new_part] = [&base.own, &base.part, &head.own, &head.part].map(set);
    let is_part = |file: &&PathBuf| {
        let is_new = !old_own.contains(*file) && !old_part.contains(*file);
        // A new file in a folder that the base has as a source is read with that source, whoever uses it.
        let may_be_new_part = is_new && new_part.contains(*file) && (!is_known || base.own.is_none());
        !new_own.contains(*file) && (old_part.contains(*file) || may_be_new_part)
    };
    let all: BTreeSet<&PathBuf> = [&old_own, &old_part, &new_own, &new_part].into_iter().flatten().collect();
    let (part, own): (Vec<&PathBuf>, Vec<&PathBuf>) = all.into_iter().partition(is_part);
    let entry = |files: Vec<&PathBuf>, part_of: Option<Vec<PathBuf>>| {
        let files: Vec<PathBuf> = files.into_iter().cloned().collect();
        (!files.is_empty()).then(|| Folder { part_of, ..Folder::new(dir, None, files) })
    };
    [entry(own, None), entry(part, users.or_else(|| Some(Vec::new())))].into_iter().flatten().collect()
}
