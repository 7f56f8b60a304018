//! Finds the folders of a checkout that are sources of their own: what an Application could name as its path.
//!
//! A folder with a kustomization is one, unless another kustomization uses it or it is a component; a folder with a chart is one, unless it
//! is a library or another chart's dependency; any other folder is one when it holds manifests that no kustomization uses. What Argo CD
//! would take a folder for is decided by [`source::detect`], as for a single directory.
//!
//! Follows no symlinks to directories, and opens nothing in folders whose name begins with a dot.

mod contents;
mod references;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::settings::CONFIG_FILE;
use crate::source::{self, KUSTOMIZATIONS, Renderer, clean};
use contents::{Content, content_of, is_stream};
use references::References;

/// The most files and folders that are looked at.
const MAX_ENTRIES: usize = 1 << 20;

/// The most bytes of a file that is looked at: larger ones are no manifests that anybody wrote.
const MAX_FILE: u64 = 8 << 20;

/// A folder that is a source of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The folder, as the path that was searched is written.
    pub dir: PathBuf,
    /// The tool that renders it; none for plain manifests.
    pub renderer: Option<Renderer>,
    /// Of plain manifests, their files, by name: what else is in the folder is no manifest, or belongs to a kustomization.
    pub files: Vec<PathBuf>,
    /// True for a file that somebody named, and not the folder around it.
    pub is_file: bool,
}

/// A folder that is no source of its own, although it looks like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The folder.
    pub dir: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why a folder is no source of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The kustomization or chart in this folder uses it.
    UsedBy(PathBuf),
    /// It is a component, which only another kustomization can use.
    Component,
    /// It is a library chart, which only another chart can use.
    Library,
    /// It holds templates, and no chart is around it.
    Templates,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The sources, sorted by path.
    pub folders: Vec<Folder>,
    /// The folders that are none, likewise.
    pub passed_over: Vec<PassedOver>,
    /// How many YAML and JSON files are not manifests, outside of charts and kustomizations.
    pub other_files: usize,
}

/// A folder with the names of its files, sorted.
type Listing = BTreeMap<PathBuf, Vec<String>>;

/// Searches a directory and those below it.
pub fn find(top: &Path) -> io::Result<Found> {
    let listing = list(top)?;
    let root = source::repository_root(top)?;
    let mut kinds = BTreeMap::new();
    let mut references = References::default();
    for (dir, names) in &listing {
        let (renderer, _) = source::detect(names.iter().map(String::as_str));
        match renderer {
            Some(Renderer::Kustomize) => references.add_kustomization(dir, &kustomization(dir, names, &root)),
            Some(Renderer::Helm) => references.add_chart(dir, &read(&dir.join("Chart.yaml"), &root)),
            None => {}
        }
        kinds.insert(dir, renderer);
    }
    let mut found = Found::default();
    for (dir, names) in &listing {
        if is_part_of_chart(dir, &kinds) {
            continue;
        }
        match (kinds.get(dir).copied().flatten(), references.why_not(dir)) {
            (Some(_), Some(why)) => found.passed_over.push(PassedOver { dir: dir.clone(), why }),
            (Some(renderer), None) => {
                found.folders.push(Folder {
                    dir: dir.clone(),
                    renderer: Some(renderer),
                    files: Vec::new(),
                    is_file: false,
                });
            }
            (None, _) => plain(dir, names, (&root, &references), &mut found),
        }
    }
    Ok(found)
}

impl Folder {
    /// Whether it has a chart, a kustomization, or a manifest.
    pub fn is_source(&self) -> bool {
        self.renderer.is_some() || !self.files.is_empty()
    }
}

/// What Argo CD would render a directory with.
pub fn renderer(dir: &Path) -> io::Result<Option<Renderer>> {
    Ok(source::detect(names(dir)?.iter().map(String::as_str)).0)
}

/// The names of what is in a directory, sorted.
fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// A directory as a source, whatever is around it; and how many of its files are no manifests.
pub fn folder(dir: &Path) -> io::Result<(Folder, usize)> {
    let names = names(dir)?;
    let (renderer, _) = source::detect(names.iter().map(String::as_str));
    let mut found = Found::default();
    if renderer.is_none() {
        plain(dir, &names, (&source::repository_root(dir)?, &References::default()), &mut found);
    }
    let files = found.folders.pop().map(|folder| folder.files).unwrap_or_default();
    Ok((Folder { dir: dir.to_owned(), renderer, files, is_file: false }, found.other_files))
}

/// Whether a file holds a manifest, or was meant to. One with a name that Argo CD does not read has to hold nothing else: texts have manifests
/// as examples.
pub fn is_manifest(file: &Path) -> io::Result<bool> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = source::repository_root(dir)?;
    Ok(if is_text(name) { content(file, &root) == Content::Manifest } else { is_stream(&read(file, &root)) })
}

/// Adds a folder without chart or kustomization.
fn plain(dir: &Path, names: &[String], (root, references): (&Path, &References), found: &mut Found) {
    let mut files = Vec::new();
    let mut templates = 0;
    for name in names.iter().filter(|name| is_text(name) && *name != CONFIG_FILE) {
        let path = dir.join(name);
        if references.uses_file(&path) {
            continue;
        }
        match content(&path, root) {
            Content::Manifest => files.push(PathBuf::from(name)),
            Content::Template => templates += 1,
            Content::Other => found.other_files += 1,
        }
    }
    if !files.is_empty() {
        found.folders.push(Folder { dir: dir.to_owned(), renderer: None, files, is_file: false });
    } else if templates > 0 {
        found.passed_over.push(PassedOver { dir: dir.to_owned(), why: Why::Templates });
    }
}

/// All folders with their files.
fn list(top: &Path) -> io::Result<Listing> {
    let mut listing = Listing::new();
    let walk = WalkDir::new(top).sort_by_file_name().into_iter().filter_entry(is_looked_into);
    for (count, entry) in walk.enumerate() {
        let entry = entry?;
        if count >= MAX_ENTRIES {
            return Err(io::Error::other(format!("more than {MAX_ENTRIES} files and folders")));
        }
        if entry.file_type().is_dir() {
            continue;
        }
        let Some(name) = entry.file_name().to_str() else { continue };
        let dir = entry.path().parent().unwrap_or(top);
        listing.entry(dir.to_owned()).or_default().push(name.to_owned());
    }
    Ok(listing)
}

/// Not folders that are hidden, as `.git` and `.github` are, and not what package managers download.
fn is_looked_into(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_dir() {
        return true;
    }
    entry.file_name().to_str().is_some_and(|name| !name.starts_with('.') && name != "node_modules")
}

/// The folders of a chart that hold nothing but its parts.
const PARTS_OF_CHART: [&str; 3] = ["templates", "charts", "crds"];

fn is_part_of_chart(dir: &Path, kinds: &BTreeMap<&PathBuf, Option<Renderer>>) -> bool {
    let is_chart = |dir: &Path| kinds.get(&dir.to_owned()).copied().flatten() == Some(Renderer::Helm);
    dir.ancestors().any(|folder| {
        let is_part =
            folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| PARTS_OF_CHART.contains(&name));
        is_part && folder.parent().is_some_and(is_chart)
    })
}

/// Whether Argo CD reads a file of this name.
fn is_text(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
}

/// The text of the kustomization that kustomize would read.
fn kustomization(dir: &Path, names: &[String], root: &Path) -> String {
    let name = KUSTOMIZATIONS.into_iter().find(|name| names.iter().any(|found| found == name));
    name.map(|name| read(&dir.join(name), root)).unwrap_or_default()
}

fn content(path: &Path, root: &Path) -> Content {
    content_of(&read(path, root), path.extension().is_some_and(|end| end == "json"))
}

/// The text of a file; empty when it cannot be read, is too large, or is outside of the repository: the source itself says so.
fn read(path: &Path, root: &Path) -> String {
    let below = fs::canonicalize(path).ok().filter(|real| source::is_in_repository(real, root));
    let below = below.and_then(|real| real.strip_prefix(root).ok().map(Path::to_owned));
    let text = below.and_then(|below| source::small_file_in(root, &below, MAX_FILE).ok().flatten());
    text.unwrap_or_default()
}

/// A path below `dir` as kustomizations and charts write them, without `..`.
fn below(dir: &Path, written: &str) -> PathBuf {
    clean(&dir.join(written))
}

/// Paths, cleaned, with the folder that uses them.
type Used = BTreeMap<PathBuf, PathBuf>;

/// Folders.
type Folders = BTreeSet<PathBuf>;
