//! The folders that no Application uses, and that were not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use argocd_jobs::applications::ApplicationSource;
use argocd_jobs::folders::Folder;
use argocd_jobs::source::{self, Renderer};

use super::applications::MAX_FILE;
use super::paths::real;
use super::read::Read;
use super::run::Run;
use super::sources::Sources;
use super::target::{InBase, Target};

/// Counts the folders that were set aside, and that no Application names.
pub(super) fn count(sources: &mut Sources, named: &BTreeSet<PathBuf>) {
    for target in std::mem::take(&mut sources.aside) {
        if !is_named(&target, named) && target.part_of().is_none() {
            sources.passed_over.unused += 1;
            sources.passed_over.unused_jobs += jobs_in(&target);
        }
    }
}

/// Whether the folder is among those that Applications name; these have no symlinks in their paths.
pub(super) fn is_named(target: &Target, named: &BTreeSet<PathBuf>) -> bool {
    named.contains(&real(&target.path()))
}

/// How many Jobs the files of a folder have that was not read, in a chart those of its templates: the lines `kind: Job`.
fn jobs_in(target: &Target) -> usize {
    let Target::Folder(Folder { dir, renderer, .. }) = target else { return 0 };
    let dir = if *renderer == Some(Renderer::Helm) { dir.join("templates") } else { dir.clone() };
    let files = fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let texts = files.filter_map(|path| source::read_small(&path, MAX_FILE).ok());
    texts.map(|text| text.lines().filter(|line| line.trim_end() == "kind: Job").count()).sum()
}

/// The source of an Application that decides that its folder is not read for itself: in a comparison one that the base has, because a change could
/// bring an Application to hide a Job of the folder.
pub(super) fn settled<'r>(read: &'r Read, run: &Run) -> Option<&'r ApplicationSource> {
    match &read.target {
        Target::Application(_, _, InBase::As(old)) => Some(old),
        Target::Application(_, _, InBase::Nowhere) if run.base.is_some() => None,
        target => target.source(),
    }
}
