//! The folders that no Application uses, and that were not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::clean;
use goyaml::documents::{self, Form};
use goyaml::{RefusedBy, Value};
use kube_jobs::kubernetes::{is_job, list};
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::manifest::Manifest;
use rewrite::settings::SourceKind;
use text::{LineColumn, Lines, Origin};

use crate::applications::{ApplicationSource, Skipped};
use crate::file_text::FileText;
use crate::folders::Folder;
use crate::outcome::{Owner, Read};
use crate::pair::Pair;
use crate::paths::real;
use crate::row::UnreadFile;
use crate::run::Run;
use crate::same_files::Roots;
use crate::search::is_template_of_chart;
use crate::sources::Sources;
use crate::target::Target;
use crate::value_sets;

/// Counts the folders that were set aside, and that no Application names. `read` is what is left of all that was read, and `skipped` what was not.
pub(crate) fn count(
    sources: &mut Sources,
    named: &BTreeSet<PathBuf>,
    (read, skipped): (&[Read], &[(usize, Skipped)]),
    run: &Run,
) {
    let root = sources.checkout.as_ref().map(|checkout| checkout.root.clone()).unwrap_or_default();
    let used = used(read, &root);
    let left = used_by(read.iter().filter(|one| one.gone().is_some()), &root);
    let kept = used_by(read.iter().filter(|one| one.gone().is_none()), &root);
    let mut counted = BTreeSet::new();
    for target in std::mem::take(&mut sources.aside) {
        if !is_named(&target, named) && target.part_of().is_none() {
            // An Application that the base lacks hides nothing of the folder, and uses it.
            if !is_named(&target, &used) {
                sources.passed_over.unused += 1;
                // Several kustomizations can use a file.
                let new = names_in(&target).into_iter().filter(|path| counted.insert(real(path)));
                sources.passed_over.unused_jobs += new.map(|path| Jobs::of(&path, &path).count).sum::<usize>();
                sources.passed_over.unused_templates += job_templates(&target);
            }
            changed_jobs(&target, run).add_to(sources);
        } else if is_named(&target, &left) && !is_named(&target, &kept) {
            // The row of the Application has the Jobs that it leaves, and not what the change adds to its folder.
            let mut changed = changed_jobs(&target, run);
            changed.jobs.retain(|path| path.exists());
            changed.add_to(sources);
        }
    }
    forget_what_is_read(sources, read, skipped);
}

/// The folders in the checkout that sources read.
pub(crate) fn used(read: &[Read], root: &Path) -> BTreeSet<PathBuf> {
    used_by(read.iter(), root)
}

fn used_by<'r>(read: impl Iterator<Item = &'r Read>, root: &Path) -> BTreeSet<PathBuf> {
    read.filter_map(|one| one.target.source()?.folder_in(root)).collect()
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

/// What a change does to files in a folder that no Application uses.
#[derive(Default)]
pub(crate) struct Changed {
    /// The files in which one of the versions has Jobs.
    jobs: Vec<PathBuf>,
    /// The files in which there may be Jobs.
    unread: Vec<UnreadFile>,
}

impl Changed {
    pub(crate) fn add_to(self, sources: &mut Sources) {
        sources.passed_over.unused_changed.extend(self.jobs);
        sources.passed_over.unused_unread.extend(self.unread);
    }
}

/// The files with Jobs in a folder that no Application uses, if the version to compare with does not have the same there; also the files that only
/// that version has.
pub(crate) fn changed_jobs(target: &Target, run: &Run) -> Changed {
    let mut changed = Changed::default();
    if run.base_on_disk().is_none() {
        return changed;
    }
    let roots = Roots::of(&target.path(), run);
    for path in names_in(target) {
        let jobs = if !path.exists() {
            let old = roots.as_ref().and_then(|roots| roots.in_base(&path));
            old.map(|old| Jobs::of(&old, &path))
        } else if roots.as_ref().is_some_and(|roots| roots.have_same(&real(&path))) {
            None
        } else {
            Some(Jobs::of(&path, &path))
        };
        let Some(jobs) = jobs else { continue };
        if jobs.count > 0 {
            changed.jobs.push(path);
        }
        changed.unread.extend(jobs.unread);
    }
    changed
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
    sources.passed_over.unused_unread.retain(|unread| !unread.path().is_some_and(|path| is_read(&real(path))));
}

/// How many templates of Jobs a chart has that is not rendered, without those that are read as they are: they are Jobs.
pub(crate) fn job_templates(target: &Target) -> usize {
    let Target::Folder(Folder { dir, renderer: Some(Renderer::Helm), .. }) = target else { return 0 };
    let templates = value_sets::job_templates(dir);
    templates.filter(|file| Jobs::of(file, file).count == 0).count()
}

/// The paths of the files of a folder that was not read, in either version: the templates of a chart, and the plain manifests that no kustomization uses.
fn names_in(target: &Target) -> BTreeSet<PathBuf> {
    let all_in = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let names = match target {
        Target::Folder(Folder { dir, renderer: Some(Renderer::Helm), .. }) => all_in(&dir.join("templates")),
        Target::Folder(Folder { dir, renderer: None, files, .. }) if !files.is_empty() => {
            files.iter().map(|name| dir.join(name)).collect()
        }
        Target::Folder(Folder { dir, .. }) => all_in(dir).into_iter().chain(resources_of(dir)).collect(),
        _ => Vec::new(),
    };
    // `./jobs.yaml` in the folder is the `jobs.yaml` that its kustomization names.
    names.iter().map(|path| clean(path)).collect()
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
        let named = KUSTOMIZATIONS.iter().filter_map(|name| FileText::of(&path.join(name)).text());
        let values = named.filter_map(|text| Value::read(&text).ok());
        let below =
            values.flat_map(|value| ["resources", "bases", "components"].map(|key| value.texts_at(&[key])).concat());
        todo.extend(below.map(|below| clean(&path.join(below))).filter(|path| path.exists()));
    }
    files
}

/// The Jobs in a file that was not read for a source.
#[derive(Default)]
struct Jobs {
    /// How many there are in the texts that can be read.
    count: usize,
    /// A text in which Argo CD may find more.
    unread: Option<UnreadFile>,
}

impl Jobs {
    /// Those in the file `at`, which messages call `path`.
    fn of(at: &Path, path: &Path) -> Self {
        let mut jobs = Self::default();
        let text = match FileText::of(at) {
            FileText::Text(text) => text,
            FileText::NoFile => return jobs,
            FileText::NotRead(reason) => {
                jobs.unread = Some(UnreadFile::new(path, LineColumn { line: 1, column: 1 }, reason));
                return jobs;
            }
        };
        let is_template = is_template_of_chart(at);
        let may_have_jobs = |piece: &str| goyaml::may_contain(piece, "Job");
        documents::each(&text, Form::of_file(path), may_have_jobs, |span, read| match read {
            Ok(document) => {
                jobs.count += list::objects(document).into_iter().filter(|(_, object)| is_job(object)).count();
            }
            // Argo CD has no Job of it either, and a template is YAML only when helm has rendered it.
            Err(error) if error.by == RefusedBy::ArgoCd || is_template || !may_have_jobs(span.of(&text)) => {}
            Err(error) => {
                let at = Lines::of(&text).at(&text, error.offset);
                jobs.unread.get_or_insert_with(|| UnreadFile::new(path, at, error.to_string()));
            }
        });
        jobs
    }
}

/// The source of an Application that decides that its folder is not read for itself: in a comparison one that the base has, because a change could
/// bring an Application to hide a Job of the folder.
pub(crate) fn settled<'r>(read: &'r Read, run: &Run) -> Option<&'r ApplicationSource> {
    match read.target.pair()? {
        Pair::New { .. } if run.base.is_some() => None,
        pair => Some(pair.in_old().unwrap_or_else(|| pair.source())),
    }
}
