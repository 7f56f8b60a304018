//! Whether a change has to do with what was not checked: with the manifest of an Application, or with the files that it reads.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rewrite::settings::{ApplicationSettings, CONFIG_FILE};

use crate::applications::{ApplicationSource, Declaration, RenderedBy, Skipped};
use crate::folders;
use crate::pair::Pair;
use crate::run::Run;
use crate::same_files::{Care, Roots, have_same};
use crate::target::Target;

/// Whether the change has to do with a source that was not checked; none without `--base`, and if it is unknown.
pub(crate) fn of_target(target: &Target, run: &Run) -> Option<bool> {
    run.base_on_disk()?;
    match target {
        Target::Application(Pair::New { .. } | Pair::Old(_), _) => return Some(true),
        Target::Application(Pair::Both { new, old }, _) if !new.says_the_same(old) || new.dir != old.dir => {
            return Some(true);
        }
        Target::Application(..) | Target::Folder(_) | Target::ValueSet(..) => {}
        Target::StandardInput | Target::Typed(_) => return None,
    }
    let is_known = !matches!(target, Target::Application(Pair::Single(_), _));
    match has_same_files(target, run) {
        Some(true) if !is_known => None,
        is_same => is_same.map(|is_same| !is_same),
    }
}

/// Whether both versions have the same files of a source; `None` if only the files in its folder are known, and are the same.
fn has_same_files(target: &Target, run: &Run) -> Option<bool> {
    let source = target.source();
    if let Some((source, elsewhere)) = source.and_then(|source| Some((source, source.elsewhere.as_ref()?))) {
        // Only what it refers to can be here.
        return (source.references.is_empty() && elsewhere.shown_as.is_some()).then_some(true);
    }
    let path = target.path();
    if !path.is_dir() {
        return None;
    }
    let Some(roots) = Roots::of(&path, run) else { return Some(false) };
    let Some(renderer) = folders::renderer(&path).ok()? else {
        return Some(roots.have_same(&roots.dir));
    };
    if !roots.have_same(&roots.dir) {
        return Some(false);
    }
    let has_config = source.is_none_or(|source| source.by == RenderedBy::Plugin) && path.join(CONFIG_FILE).exists();
    let settings = settings(source).filter(|_| !has_config)?;
    let references = source.map(|source| source.references.clone()).unwrap_or_default();
    roots.have_same_reach(renderer, &settings, &references, Care::Here)
}

/// How a source is rendered; none if that is unknown without reading it.
fn settings(source: Option<&ApplicationSource>) -> Option<ApplicationSettings> {
    let Some(source) = source else { return Some(ApplicationSettings::default()) };
    let (helm, kustomize) = source.native.as_ref()?.as_ref().ok()?.rendering();
    Some(ApplicationSettings { helm, kustomize, ..ApplicationSettings::default() })
}

/// What the version to compare with says of Applications that are not rendered.
pub(crate) struct OfBase {
    /// Their names, and what they say.
    known: BTreeSet<(String, [u8; 32])>,
    /// The roots of both versions; none if the other version is unknown.
    roots: Option<[PathBuf; 2]>,
    /// Whether both have the same at a path below the root.
    same: RefCell<BTreeMap<PathBuf, bool>>,
}

impl OfBase {
    pub(crate) fn new<'s>(skipped: impl Iterator<Item = &'s Skipped>, roots: Option<[PathBuf; 2]>) -> Self {
        let key = |skipped: &Skipped| Some((skipped.name.clone(), skipped.declaration.as_ref()?.fingerprint));
        Self { known: skipped.filter_map(key).collect(), roots, same: RefCell::default() }
    }

    /// Whether the change has to do with an Application that is not rendered; none if it is unknown.
    pub(crate) fn is_changed(&self, skipped: &Skipped) -> Option<bool> {
        let Declaration { fingerprint, reads, may_read } = &**skipped.declaration.as_ref()?;
        if !self.known.contains(&(skipped.name.clone(), *fingerprint)) {
            return Some(true);
        }
        let is_same = |path: &PathBuf| self.have_same(path);
        if !reads.iter().map(is_same).collect::<Option<Vec<bool>>>()?.into_iter().all(|same| same) {
            return Some(true);
        }
        may_read.iter().all(|path| is_same(path) == Some(true)).then_some(false)
    }

    /// Whether both versions have the same there; none for the whole repository, which always differs.
    fn have_same(&self, below: &Path) -> Option<bool> {
        let [here, there] = self.roots.as_ref()?;
        if below.as_os_str().is_empty() {
            return None;
        }
        let known = self.same.borrow().get(below).copied();
        Some(known.unwrap_or_else(|| {
            let same = have_same(&here.join(below), &there.join(below));
            self.same.borrow_mut().insert(below.to_owned(), same);
            same
        }))
    }
}
