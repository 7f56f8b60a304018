//! Changes that do not reach an Application, because its annotation `argocd.argoproj.io/manifest-generate-paths` names none of the changed files.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::{clean, have_equal_bytes};
use gopath::Steps;
use kube_jobs::argocd::RefreshPaths;
use system::{PathText, canonical};
use walkdir::{DirEntry, WalkDir};

use crate::base;
use crate::outcome::Read;
use crate::pair::Pair;
use crate::run::Run;
use crate::target::Target;

/// The largest file that is compared, in bytes. A larger one counts as changed.
const MAX_FILE: u64 = 64 << 20;

/// The steps that all patterns of a run may take in one pass: a few seconds. After that they cover every file.
pub(crate) const MAX_STEPS: usize = 200_000_000;

/// Puts into each source whether Argo CD keeps its old manifests.
pub(crate) fn settle(read: &mut [Read], run: &Run) {
    if run.base.is_none() {
        return;
    }
    let mut changes = Changes { below: HashMap::new(), steps: Steps::new(MAX_STEPS) };
    for one in read {
        let Some(paths) = kept_out_by(one, run, &mut changes) else { continue };
        if let Ok(new) = &mut one.new {
            let sync = new.application.sync.get_or_insert_default();
            Arc::make_mut(sync).arrival.kept_out = Some(paths);
        }
    }
}

/// The paths of the annotation that keeps the change out of an Application. None if the change arrives, or if that is unknown.
fn kept_out_by(one: &Read, run: &Run, changes: &mut Changes) -> Option<Vec<String>> {
    let Target::Application(Pair::Both { new: source, old }, checkout) = &one.target else { return None };
    let (written, new) = (source.generate_paths.as_ref()?, one.new.as_ref().ok()?);
    let paths = RefreshPaths::of(written, new.settings.output.argocd_version);
    if paths.is_empty() || source.elsewhere.is_some() {
        return None;
    }
    let base = base::root_in(checkout, run).ok()??;
    let is_kept =
        source.has_cached_manifests_of(old) && !changes.touch(&paths, &Trees { base, head: checkout.root.clone() });
    is_kept.then(|| written.written.clone())
}

/// The roots of two versions of a checkout.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Trees {
    base: PathBuf,
    head: PathBuf,
}

/// The changed files of a run. Many Applications name the same folders, so each folder is compared once.
struct Changes {
    below: HashMap<(Trees, String), Vec<String>>,
    steps: Steps,
}

impl Changes {
    /// Whether a file that `paths` cover is changed.
    fn touch(&mut self, paths: &RefreshPaths, trees: &Trees) -> bool {
        let places: BTreeSet<String> = paths.places().collect();
        places.into_iter().any(|place| {
            let below = self.below.entry((trees.clone(), place));
            let files = below.or_insert_with_key(|(trees, place)| trees.changed_below(place));
            files.iter().any(|file| paths.covers(file, &self.steps))
        })
    }
}

impl Trees {
    /// The changed files at and below a path, as paths from the root with `/`.
    fn changed_below(&self, place: &str) -> Vec<String> {
        let there = |root: &Path| -> BTreeSet<PathBuf> {
            let path = clean(&root.join(place));
            // git has nothing behind a symlink.
            let is_inside = canonical(&path).is_ok_and(|real| real == path);
            let files = is_inside.then(|| files_in(path)).into_iter().flatten();
            files.filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned())).collect()
        };
        let all = &there(&self.base) | &there(&self.head);
        let changed = all.into_iter().filter(|file| differ(&self.base.join(file), &self.head.join(file)));
        changed.map(|file| file.in_slashes().into_owned()).collect()
    }
}

/// The files and symlinks at and below a path.
fn files_in(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let is_of_git = |entry: &DirEntry| entry.file_name() == ".git";
    let entries = WalkDir::new(path).into_iter().filter_entry(move |entry| !is_of_git(entry)).flatten();
    entries.filter(|entry| !entry.file_type().is_dir()).map(DirEntry::into_path)
}

fn differ(one: &Path, other: &Path) -> bool {
    match (fs::read_link(one), fs::read_link(other)) {
        (Ok(one), Ok(other)) => one != other,
        (Err(_), Err(_)) => !have_equal_bytes(one, other, MAX_FILE).unwrap_or(false),
        _ => true,
    }
}
