//! The folders that no Application uses, and that were not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::clean;
use goyaml::Value;
use kube_jobs::kubernetes::{is_job, list};
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::manifest::Manifest;
use rewrite::settings::SourceKind;
use text::Origin;

use crate::applications::{ApplicationSource, Skipped};
use crate::folders::Folder;
use crate::outcome::{Owner, Read};
use crate::paths::real;
use crate::run::Run;
use crate::same_files::Roots;
use crate::search::MAX_FILE;
use crate::sources::Sources;
use crate::target::{InBase, Target};

/// Counts the folders that were set aside, and that no Application names. `read` is what is left of all that was read, and `skipped` what was not.
pub(crate) fn count(
    sources: &mut Sources,
    named: &BTreeSet<PathBuf>,
    (read, skipped): (&[Read], &[(usize, Skipped)]),
    run: &Run,
) {
    let root = sources.checkout.as_ref().map(|checkout| checkout.root.clone()).unwrap_or_default();
    let used: BTreeSet<PathBuf> =
        read.iter().filter_map(|one| Some(root.join(one.target.source()?.dir_here()?))).collect();
    let mut counted = BTreeSet::new();
    for target in std::mem::take(&mut sources.aside) {
        if !is_named(&target, named) && target.part_of().is_none() {
            // An Application that the base lacks hides nothing of the folder, and uses it.
            if !is_named(&target, &used) {
                sources.passed_over.unused += 1;
                // Several kustomizations can use a file.
                let new = files_in(&target).filter(|(path, _)| counted.insert(real(path)));
                sources.passed_over.unused_jobs += new.map(|(_, text)| jobs_in(&text)).sum::<usize>();
            }
            sources.passed_over.unused_changed.extend(changed_jobs(&target, run));
        }
    }
    forget_what_is_read(sources, read, skipped);
}

/// Whether an Application names the folder. The paths in `named` have no symlinks.
pub(crate) fn is_named(target: &Target, named: &BTreeSet<PathBuf>) -> bool {
    named.contains(&real(&target.path()))
}

/// Notes which folders an Application names all the same: one that the base lacks, and that decides nothing about them. Without any Application, those of
/// all folders are elsewhere.
pub(crate) fn settle_owners(read: &mut [Read]) {
    let applications = read.iter().filter(|one| one.target.is_application());
    let named: BTreeSet<PathBuf> = applications.map(|one| real(&one.target.path())).collect();
    let folders = read.iter_mut().filter(|one| matches!(one.target, Target::Folder(_)));
    folders.filter(|one| is_named(&one.target, &named)).for_each(|one| one.owner = Owner::ApplicationOfTheChange);
    if read.iter().all(|one| one.owner == Owner::Unknown) {
        read.iter_mut().for_each(|one| one.owner = Owner::Elsewhere);
    }
}

/// The files with Jobs in a folder that no Application uses, if the version to compare with does not have the same there; also the files that only
/// that version has.
pub(crate) fn changed_jobs(target: &Target, run: &Run) -> Vec<PathBuf> {
    if run.base_on_disk().is_none() {
        return Vec::new();
    }
    let roots = Roots::of(&target.path(), run);
    let is_same = |path: &PathBuf| roots.as_ref().is_some_and(|roots| roots.have_same(&real(path)));
    let changed = files_in(target).filter(|(path, text)| jobs_in(text) > 0 && !is_same(path));
    let is_gone = |path: &PathBuf| {
        let old = roots.as_ref().and_then(|roots| roots.in_base(path));
        !path.exists()
            && old.and_then(|old| checkout::read_small(&old, MAX_FILE).ok()).is_some_and(|text| jobs_in(&text) > 0)
    };
    changed.map(|(path, _)| path).chain(names_in(target).into_iter().filter(is_gone)).collect()
}

/// Forgets the changed files that an Application reads after all: one of the new version, or one that is not rendered here.
fn forget_what_is_read(sources: &mut Sources, read: &[Read], skipped: &[(usize, Skipped)]) {
    let is_directory = |one: &&Read| one.target.kind() == SourceKind::Directory.as_str();
    let (directories, others): (Vec<&Read>, Vec<&Read>) = read.iter().partition(is_directory);
    // A symlink in a source has no file of its own, and its path leads to one.
    let file = |manifest: &Manifest| match (&manifest.file, &manifest.origin) {
        (Some(file), _) => Some(real(file)),
        (None, Origin::File(path)) => Some(real(path)),
        (None, _) => None,
    };
    let files: BTreeSet<PathBuf> =
        directories.iter().flat_map(|one| &one.version().manifests).filter_map(file).collect();
    let mut dirs: Vec<PathBuf> = others.iter().map(|one| real(&one.target.path())).collect();
    if let Some(checkout) = &sources.checkout {
        let declared = sources
            .skipped
            .iter()
            .chain(skipped.iter().map(|(_, skipped)| skipped))
            .filter_map(|skipped| skipped.declaration.as_ref());
        let paths = declared.flat_map(|declared| declared.reads.iter().chain(&declared.may_read));
        dirs.extend(paths.map(|path| checkout.root.join(path)));
    }
    let is_read = |path: &PathBuf| files.contains(path) || dirs.iter().any(|dir| path.starts_with(dir));
    sources.passed_over.unused_changed.retain(|path| !is_read(&real(path)));
}

/// The files of a folder that was not read.
fn files_in(target: &Target) -> impl Iterator<Item = (PathBuf, String)> + use<> {
    names_in(target).into_iter().filter_map(|path| Some((path.clone(), checkout::read_small(&path, MAX_FILE).ok()?)))
}

/// Their paths, in either version: the templates of a chart, and the plain manifests that no kustomization uses.
fn names_in(target: &Target) -> Vec<PathBuf> {
    let all_in = |dir: PathBuf| {
        let mut all: Vec<PathBuf> =
            fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        all.sort_unstable();
        all
    };
    match target {
        Target::Folder(Folder { dir, renderer: Some(Renderer::Helm), .. }) => all_in(dir.join("templates")),
        Target::Folder(Folder { dir, renderer: None, files, .. }) if !files.is_empty() => {
            files.iter().map(|name| dir.join(name)).collect()
        }
        Target::Folder(Folder { dir, .. }) => {
            let mut all = all_in(dir.clone());
            all.extend(resources_of(dir).into_iter().filter(|path| path.parent() != Some(dir)));
            all
        }
        _ => Vec::new(),
    }
}

/// The most files and folders that are followed from a kustomization.
const MAX_RESOURCES: usize = 1_000;

/// The files that a kustomization and those that it uses name as resources.
fn resources_of(dir: &Path) -> BTreeSet<PathBuf> {
    let (mut todo, mut seen, mut files) = (vec![clean(dir)], BTreeSet::new(), BTreeSet::new());
    while let Some(path) = todo.pop() {
        if seen.len() >= MAX_RESOURCES || !seen.insert(path.clone()) {
            continue;
        }
        if !path.is_dir() {
            files.insert(path);
            continue;
        }
        let named = KUSTOMIZATIONS.iter().filter_map(|name| checkout::read_small(&path.join(name), MAX_FILE).ok());
        let values = named.filter_map(|text| Value::read(&text).ok());
        let below =
            values.flat_map(|value| ["resources", "bases", "components"].map(|key| value.texts_at(&[key])).concat());
        todo.extend(below.map(|below| clean(&path.join(below))).filter(|path| path.exists()));
    }
    files
}

/// How many Jobs a file has.
fn jobs_in(text: &str) -> usize {
    let mut jobs = 0;
    list::each_object(text, |text| goyaml::may_contain(text, "Job"), |object| jobs += usize::from(is_job(&object)));
    jobs
}

/// The source of an Application that decides that its folder is not read for itself: in a comparison one that the base has, because a change could
/// bring an Application to hide a Job of the folder.
pub(crate) fn settled<'r>(read: &'r Read, run: &Run) -> Option<&'r ApplicationSource> {
    match &read.target {
        Target::Application(_, _, InBase::As(old)) => Some(old),
        Target::Application(_, _, InBase::Nowhere) if run.base.is_some() => None,
        target => target.source(),
    }
}
