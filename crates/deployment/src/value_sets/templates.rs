//! What the templates of a chart say about the value sets: which of its Jobs none renders, and which values one lacks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use checkout::{repository_root, small_file_in};
use goyaml::Value;
use render::Renderer;
use render::chart::{JobTemplate, Required, Templates, rendered};
use rewrite::version::Version;
use system::{PathText, canonical};

use crate::folders::Folder;
use crate::outcome::Read;
use crate::row::{RequiredValue, Unrendered};
use crate::run::Run;
use crate::same_files::Roots;
use crate::target::Target;

/// The largest value file that is looked into, in bytes.
const MAX_VALUES: u64 = 1 << 20;

/// The templates of Jobs and hooks that are in no output of their chart; of a chart that is not rendered all.
pub fn unrendered(read: &[Read], run: &Run) -> Vec<Unrendered> {
    let mut all = Vec::new();
    for (index, own) in read.iter().enumerate() {
        let is_own = run.renders_value_sets() && !matches!(own.target, Target::ValueSet(..));
        let Some(dir) = chart(&own.target).filter(|_| is_own) else { continue };
        let is_of_chart = |one: &&Read| matches!(one.target, Target::ValueSet(..)) && one.target.path() == *dir;
        let sets = || std::iter::once(own).chain(read[index + 1..].iter().take_while(is_of_chart));
        let unread = sets().filter(|one| one.failure().is_some()).count();
        let texts: Vec<&str> =
            sets().flat_map(|one| &one.version().manifests).map(|manifest| manifest.text.as_str()).collect();
        all.extend(hidden(dir, &texts).into_iter().map(|job| Unrendered {
            source: own.shown_as.clone(),
            path: checkout::clean(&Path::new(&own.shown_as).join(&job.file)).in_slashes().into_owned(),
            line: job.line,
            kind: if job.is_job { "Job" } else { "hook" },
            unread,
            is_chart_unread: texts.is_empty(),
            conditions: job.conditions,
        }));
    }
    all
}

/// The files of the templates of Jobs of the chart in `dir`, each once.
pub(crate) fn job_templates(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let jobs = hidden(dir, &[]).into_iter().filter(|job| job.is_job);
    let files: BTreeSet<PathBuf> = jobs.map(|job| dir.join(job.file)).collect();
    files.into_iter()
}

/// The templates of Jobs and hooks of the chart in `dir` that are in none of its outputs, Jobs first.
fn hidden(dir: &Path, outputs: &[&str]) -> Vec<JobTemplate> {
    let Some((real, root)) = real(dir) else { return Vec::new() };
    let known: BTreeSet<(String, bool)> = outputs.iter().flat_map(|output| rendered(output)).collect();
    let mut jobs = Templates::read(&real, &root).jobs();
    jobs.retain(|job| !known.iter().any(|(file, is_job)| *file == job.file && (*is_job || !job.is_job)));
    jobs.sort_by_key(|job| !job.is_job);
    jobs
}

/// The templates of Jobs and hooks that a change adds or alters, that are not in the output of the chart, and that may be in another release,
/// cluster or hour: their paths below the chart, with their lines and conditions. Empty without a base, and for another source.
pub(crate) fn hidden_changes(target: &Target, version: &Version, run: &Run) -> Vec<JobTemplate> {
    let Some(dir) = chart(target) else { return Vec::new() };
    // None for a chart that the base does not have.
    let roots = Roots::of(dir, run);
    let is_changed = |file: &str| roots.as_ref().is_none_or(|roots| !roots.have_same(&roots.dir.join(file)));
    let outputs: Vec<&str> = version.manifests.iter().map(|manifest| manifest.text.as_str()).collect();
    let mut hidden = hidden(dir, &outputs);
    hidden.retain(|job| !job.is_about_values && is_changed(&job.file));
    hidden
}

/// The values that the templates of a chart require and that it does not have with this value set, if `error`, which is about values, is one of its
/// templates: the value that helm names comes first.
pub(crate) fn required(target: &Target, error: &str) -> Vec<RequiredValue> {
    // Not of its schema.
    let is_of_a_template = error.contains("execution error at (") || error.contains("nil pointer evaluating");
    let Some((dir, root)) = chart(target).filter(|_| is_of_a_template).and_then(|dir| real(dir)) else {
        return Vec::new();
    };
    let own = dir.join("values.yaml");
    let files = match target {
        Target::ValueSet(_, set) => set.files.iter().map(|file| place(&dir, &root, file)).collect(),
        _ => Vec::new(),
    };
    let read = |file: PathBuf| {
        let text = small_file_in(&root, file.strip_prefix(&root).ok()?, MAX_VALUES).ok()??;
        Value::read(&text).ok()
    };
    let values: Vec<Value> = std::iter::once(own).chain(files).filter_map(read).collect();
    let mut all = Templates::read(&dir, &root).required(&values);
    let named = named(error);
    all.sort_by_key(|one| named.as_ref().is_none_or(|(file, line)| one.file != *file || one.line != *line));
    all.into_iter().map(|Required { value, file, line }| RequiredValue { value, path: file, line }).collect()
}

/// The template and the line that helm names in `execution error at (shop/templates/a.yaml:3:4)`.
fn named(error: &str) -> Option<(String, usize)> {
    let (_, rest) = error.split_once("execution error at (")?;
    let (_, file) = rest.split(')').next()?.split_once('/')?;
    let mut parts = file.rsplitn(3, ':').skip(1);
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?.to_owned(), line))
}

/// The file of an entry of `helm-value-files`.
fn place(dir: &Path, root: &Path, file: &str) -> PathBuf {
    match file.strip_prefix('/') {
        Some(below) => root.join(below),
        None => checkout::clean(&dir.join(file)),
    }
}

/// The folder of a chart that can have value sets.
fn chart(target: &Target) -> Option<&PathBuf> {
    match target {
        Target::Typed(dir) => Some(dir).filter(|_| target.kind() == "helm"),
        Target::Folder(Folder { dir, renderer: Some(Renderer::Helm), part_of: None, .. })
        | Target::ValueSet(Folder { dir, .. }, _) => Some(dir),
        _ => None,
    }
}

/// The folder and the root of its repository, without symlinks.
pub(super) fn real(dir: &Path) -> Option<(PathBuf, PathBuf)> {
    let real = canonical(dir).ok()?;
    let root = repository_root(&real).ok()?;
    Some((real, root))
}
