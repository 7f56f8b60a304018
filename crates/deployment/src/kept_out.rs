//! Changes that do not reach an Application, because its annotation `argocd.argoproj.io/manifest-generate-paths` names none of the changed files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::{clean, have_equal_bytes};
use kube_jobs::argocd::RefreshPaths;
use system::{PathText, canonical};
use walkdir::{DirEntry, WalkDir};

use crate::applications::ApplicationSource;
use crate::outcome::Read;
use crate::run::Run;
use crate::target::{InBase, Target};
use crate::{application_version, base};

/// The largest file that is compared, in bytes. A larger one counts as changed.
const MAX_FILE: u64 = 64 << 20;

/// Puts into each source whether Argo CD keeps its old manifests.
pub(crate) fn settle(read: &mut [Read], run: &Run) {
    if run.base.is_none() {
        return;
    }
    for one in read {
        let Some(annotation) = kept_out_by(one, run) else { continue };
        if let Ok(versions) = &mut one.outcome {
            let sync = versions.new.application.sync.get_or_insert_default();
            Arc::make_mut(sync).arrival.kept_out = Some(annotation);
        }
    }
}

/// The annotation that keeps the change out of an Application. None if the change arrives, or if that is not known.
fn kept_out_by(one: &Read, run: &Run) -> Option<String> {
    let Target::Application(source, checkout, in_base) = &one.target else { return None };
    let (written, new) = (source.generate_paths.as_ref()?, &one.outcome.as_ref().ok()?.new);
    let paths = RefreshPaths::of(written, new.settings.output.argocd_version);
    if paths.is_empty() || source.elsewhere.is_some() {
        return None;
    }
    let old: ApplicationSource = match in_base {
        InBase::As(old) => (**old).clone(),
        InBase::InItsFile => application_version::in_its_file(source, checkout, &run.with_own_notes()).ok()??,
        InBase::Nowhere => return None,
    };
    let other = base::root_in(checkout, run).ok()??;
    let is_kept = source.has_cached_manifests_of(&old) && !is_touched(&paths, &checkout.root, &other);
    is_kept.then(|| written.annotation.clone())
}

/// Whether a file that `paths` cover differs between two checkouts.
fn is_touched(paths: &RefreshPaths, here: &Path, there: &Path) -> bool {
    let below = |root: &Path| -> BTreeSet<PathBuf> {
        let places: BTreeSet<String> = paths.places().collect();
        // git has nothing behind a symlink.
        let is_inside = |path: &PathBuf| canonical(path).is_ok_and(|real| real == *path);
        let files = places.into_iter().map(|place| clean(&root.join(place))).filter(is_inside).flat_map(files_in);
        files.filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned())).collect()
    };
    let covered = |file: &PathBuf| paths.covers(&file.in_slashes());
    let all = &below(here) | &below(there);
    all.into_iter().filter(covered).any(|file| differ(&here.join(&file), &there.join(&file)))
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
