//! Finds the folders of a checkout that are sources of their own: what an Application could name as its path.
//!
//! These are folders with a kustomization or a chart, and other folders that hold manifests. A folder that a kustomization, a chart or a folder above
//! uses may be only a part of that source: the caller renders it too, and leaves it out if the other sources show all its Jobs.
//! [`source::detect`] decides what Argo CD would take a folder for, as for a single directory.
//!
//! Follows no symlinks to directories, and opens nothing in `.git`.

mod contents;
mod decided;
mod references;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::settings::CONFIG_FILE;
use crate::source::{self, KUSTOMIZATIONS, Renderer, clean};
use contents::{Content, content_of, is_stream};
use references::References;

/// The most files and folders that are looked at.
const MAX_ENTRIES: usize = 1 << 20;

/// The most bytes behind symlinks, counted once for each link: without a limit a link of a few bytes is as much work as a large file.
const MAX_LINKED: u64 = 64 << 20;

/// The most bytes of a file that is looked at: larger ones are no manifests that anybody wrote.
const MAX_FILE: u64 = 8 << 20;

/// A folder that can be a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The folder, as the path that was searched is written.
    pub dir: PathBuf,
    /// The tool that renders it; none for plain manifests.
    pub renderer: Option<Renderer>,
    /// For plain manifests, the names of the files with manifests, without those that kustomizations use.
    pub files: Vec<PathBuf>,
    /// True for a file that somebody named, and not the folder around it.
    pub is_file: bool,
    /// The cleaned folders of the sources that use it, if it may be only a part of them. None for a source of its own.
    pub part_of: Option<Vec<PathBuf>>,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The sources and their parts, sorted by path. A folder of plain manifests comes twice when kustomizations use some of its files.
    pub folders: Vec<Folder>,
    /// How many folders hold templates and no manifests, and have no chart around them.
    pub templates: usize,
    /// How many YAML and JSON files are not manifests, outside of charts and kustomizations.
    pub other_files: usize,
}

/// A folder with the names of its files, sorted.
type Listing = BTreeMap<PathBuf, Vec<OsString>>;

/// Searches a directory and those below it.
pub fn find(top: &Path) -> io::Result<Found> {
    let root = source::repository_root(top)?;
    let listing = list(top, &root)?;
    let mut kinds = BTreeMap::new();
    let mut references = References::new(&listing);
    for (dir, names) in &listing {
        let renderer = renderer_among(names);
        match renderer {
            Some(Renderer::Kustomize) => references.add_kustomization(dir, &kustomization(dir, names, &root)),
            Some(Renderer::Helm) => references.add_chart(dir, &text_or_nothing(&dir.join("Chart.yaml"), &root)),
            None => {}
        }
        kinds.insert(dir, renderer);
    }
    let mut found = Found::default();
    for (dir, names) in &listing {
        let charts: Vec<PathBuf> = charts_around(dir, &kinds).map(clean).collect();
        let is_hidden = dir.strip_prefix(top).is_ok_and(|below| below.iter().any(is_hidden));
        let around = (is_hidden || !charts.is_empty()).then_some(charts);
        let Some(renderer) = kinds.get(dir).copied().flatten() else {
            plain(dir, names, &Surrounding { root: &root, references: &references, around }, &mut found);
            continue;
        };
        let users: Vec<PathBuf> = references.users(dir).collect();
        let is_part = around.is_some() || !users.is_empty() || references.is_for_others(dir);
        let part_of = is_part.then(|| around.into_iter().flatten().chain(users).collect());
        found.folders.push(Folder { part_of, ..Folder::new(dir, Some(renderer), Vec::new()) });
    }
    Ok(found)
}

/// What decides whether a folder of plain manifests is a part of other sources.
struct Surrounding<'s> {
    root: &'s Path,
    references: &'s References<'s>,
    /// The charts that it is in; none for a folder that can be a source of its own.
    around: Option<Vec<PathBuf>>,
}

impl Folder {
    fn new(dir: &Path, renderer: Option<Renderer>, files: Vec<PathBuf>) -> Self {
        Self { dir: dir.to_owned(), renderer, files, is_file: false, part_of: None }
    }

    /// Removes the Jsonnet files, which Argo CD evaluates and this program does not.
    pub fn forget_jsonnet(&mut self) {
        self.files.retain(|file| extension(file.as_os_str()) != b"jsonnet");
    }

    /// Whether it has a chart, a kustomization, or a manifest.
    pub fn is_source(&self) -> bool {
        self.renderer.is_some() || !self.files.is_empty()
    }
}

/// What Argo CD would render a directory with.
pub fn renderer(dir: &Path) -> io::Result<Option<Renderer>> {
    Ok(renderer_among(&names(dir)?))
}

/// What renders a directory with files of these names, which are sorted.
fn renderer_among(names: &[OsString]) -> Option<Renderer> {
    source::detect(names.iter().filter_map(|name| name.to_str())).0
}

/// The names of what is in a directory, sorted.
fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<OsString>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// A directory as a source, whatever is around it; and how many of its files are no manifests.
pub fn folder(dir: &Path) -> io::Result<(Folder, usize)> {
    let names = names(dir)?;
    let renderer = renderer_among(&names);
    let mut found = Found::default();
    if renderer.is_none() {
        let root = source::repository_root(dir)?;
        plain(dir, &names, &Surrounding { root: &root, references: &References::default(), around: None }, &mut found);
    }
    let files = found.folders.pop().map(|folder| folder.files).unwrap_or_default();
    Ok((Folder::new(dir, renderer, files), found.other_files))
}

/// Whether a file holds a manifest, or was meant to. One with a name that Argo CD does not read has to hold nothing else: texts have manifests
/// as examples.
pub fn is_manifest(file: &Path) -> io::Result<bool> {
    let name = file.file_name().unwrap_or_default();
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = source::repository_root(dir)?;
    Ok(if is_text(name) { content(file, &root) == Content::Manifest } else { is_stream(&text_or_nothing(file, &root)) })
}

/// The first empty folder below a directory of a repository with submodules, which may be a submodule that is not checked out. None without
/// submodules.
pub fn missing_submodule(dir: &Path) -> io::Result<Option<PathBuf>> {
    if !dir.is_dir() || !source::repository_root(dir)?.join(".gitmodules").exists() {
        return Ok(None);
    }
    for entry in WalkDir::new(dir).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_dir() && fs::read_dir(entry.path())?.next().is_none() {
            return Ok(Some(entry.into_path()));
        }
    }
    Ok(None)
}

/// Whether two directories have the same files; false when one cannot be read.
pub fn are_equal(one: &Path, other: &Path) -> bool {
    let entries = |dir: &Path| -> io::Result<Vec<(PathBuf, FileType)>> {
        let walk = WalkDir::new(dir).sort_by_file_name().into_iter().filter_entry(is_looked_into);
        let below = |entry: DirEntry| {
            Ok((entry.path().strip_prefix(dir).map_err(io::Error::other)?.to_owned(), entry.file_type()))
        };
        walk.map(|entry| below(entry?)).collect()
    };
    let are_equal = |(path, kind): &(PathBuf, FileType)| {
        let [one, other] = [one, other].map(|dir| dir.join(path));
        match kind {
            kind if kind.is_dir() => true,
            kind if kind.is_symlink() => {
                matches!((fs::read_link(one), fs::read_link(other)), (Ok(one), Ok(other)) if one == other)
            }
            _ => source::have_equal_bytes(&one, &other, MAX_FILE).unwrap_or(false),
        }
    };
    matches!((entries(one), entries(other)), (Ok(one), Ok(other)) if one == other && one.iter().all(are_equal))
}

/// Adds a folder without a chart or a kustomization: its own manifests, and as a second folder, which is a part, those that kustomizations use.
fn plain(dir: &Path, names: &[OsString], surrounding: &Surrounding<'_>, found: &mut Found) {
    let Surrounding { root, references, around } = surrounding;
    let texts = || names.iter().filter(|name| is_text(name) && *name != CONFIG_FILE).map(PathBuf::from);
    let (mut own, mut used, mut users) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (mut templates, mut others) = (0, 0);
    for name in texts() {
        let path = dir.join(&name);
        let is_used = references.users(&path).next().is_some();
        users.extend(references.users(&path));
        match content(&path, root) {
            Content::Manifest if is_used => used.push(name),
            Content::Manifest => own.push(name),
            Content::Template => templates += 1,
            Content::Other => others += 1,
        }
    }
    if let Some(charts) = around {
        // All files, and not only manifests: Argo CD reads the whole folder or nothing, and templates are seldom valid YAML.
        if !own.is_empty() || !used.is_empty() {
            let part_of = Some(charts.iter().cloned().chain(users).collect());
            found.folders.push(Folder { part_of, ..Folder::new(dir, None, texts().collect()) });
        }
        return;
    }
    found.other_files += others;
    found.templates += usize::from(own.is_empty() && used.is_empty() && templates > 0);
    if !own.is_empty() {
        // Argo CD evaluates Jsonnet files, and this program refuses them.
        own.extend(names.iter().filter(|name| extension(name) == b"jsonnet").map(PathBuf::from));
        found.folders.push(Folder::new(dir, None, own));
    }
    if !used.is_empty() {
        let part_of = Some(users.into_iter().collect());
        found.folders.push(Folder { part_of, ..Folder::new(dir, None, used) });
    }
}

/// All folders with their files. An error when there are too many, or symlinks lead to too much.
fn list(top: &Path, root: &Path) -> io::Result<Listing> {
    let mut listing = Listing::new();
    let mut linked = 0;
    let walk = WalkDir::new(top).sort_by_file_name().into_iter().filter_entry(is_looked_into);
    for (count, entry) in walk.enumerate() {
        let entry = entry?;
        if count >= MAX_ENTRIES {
            return Err(io::Error::other(format!("more than {MAX_ENTRIES} files and folders")));
        }
        if entry.file_type().is_dir() {
            continue;
        }
        let is_read = is_text(entry.file_name()) || KUSTOMIZATIONS.iter().any(|name| entry.file_name() == *name);
        if is_read && entry.path_is_symlink() {
            let below = below_root(entry.path(), root).ok().flatten();
            let size = below.and_then(|below| fs::metadata(root.join(below)).ok());
            linked += size.map_or(0, |found| found.len()).min(MAX_FILE + 1);
            if linked > MAX_LINKED {
                return Err(io::Error::other(format!("symlinks lead to more than {} MiB", MAX_LINKED >> 20)));
            }
        }
        let dir = entry.path().parent().unwrap_or(top);
        listing.entry(dir.to_owned()).or_default().push(entry.file_name().to_owned());
    }
    Ok(listing)
}

/// False for `.git`, which is not searched.
fn is_looked_into(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_type().is_dir() || entry.file_name() != ".git"
}

/// Whether a folder of this name seldom holds sources, like `.github` and downloads of package managers: then only sources with Jobs count.
fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "node_modules"
}

/// The folders of a chart that hold nothing but its parts.
const PARTS_OF_CHART: [&str; 3] = ["templates", "charts", "crds"];

/// The charts around `dir` that have it as a part, or below a part.
fn charts_around<'d>(dir: &'d Path, kinds: &BTreeMap<&PathBuf, Option<Renderer>>) -> impl Iterator<Item = &'d Path> {
    let is_part =
        |folder: &&Path| folder.file_name().is_some_and(|name| PARTS_OF_CHART.iter().any(|part| name == *part));
    let is_chart = |dir: &&Path| kinds.get(&dir.to_path_buf()).copied().flatten() == Some(Renderer::Helm);
    dir.ancestors().filter(is_part).filter_map(Path::parent).filter(is_chart)
}

/// Whether Argo CD reads a file of this name.
fn is_text(name: &OsStr) -> bool {
    [&b"yaml"[..], b"yml", b"json"].contains(&extension(name))
}

/// The bytes after the last dot of a name; the whole name if it has no dot.
fn extension(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes().rsplit(|byte| *byte == b'.').next().unwrap_or_default()
}

/// The text of the kustomization that kustomize would read.
fn kustomization(dir: &Path, names: &[OsString], root: &Path) -> String {
    let name = KUSTOMIZATIONS.into_iter().find(|name| names.iter().any(|found| found == name));
    name.map(|name| text_or_nothing(&dir.join(name), root)).unwrap_or_default()
}

fn content(path: &Path, root: &Path) -> Content {
    match text(path, root) {
        Ok(Some(text)) => content_of(&text, path.extension().is_some_and(|end| end == "json")),
        Ok(None) => Content::Other,
        // Too large, in another encoding, or not in this clone: reading the source reports that.
        Err(_) => Content::Manifest,
    }
}

/// Returns the path relative to `root` of the file at `path`, with symlinks followed. `None` if the repository does not have this file.
fn below_root(path: &Path, root: &Path) -> io::Result<Option<PathBuf>> {
    let real = match fs::canonicalize(path) {
        Ok(real) => Some(real).filter(|real| source::is_in_repository(real, root) && real.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    Ok(real.and_then(|real| real.strip_prefix(root).ok().map(Path::to_owned)))
}

/// The text of a file; none if it is not a regular file of the repository.
fn text(path: &Path, root: &Path) -> io::Result<Option<String>> {
    let below = below_root(path, root)?;
    below.map_or(Ok(None), |below| source::small_file_in(root, &below, MAX_FILE))
}

/// The same, but empty for a file that cannot be read: reading the source reports that.
fn text_or_nothing(path: &Path, root: &Path) -> String {
    text(path, root).ok().flatten().unwrap_or_default()
}

/// A path below `dir` as kustomizations and charts write them, without `..`.
fn below(dir: &Path, written: &str) -> PathBuf {
    clean(&dir.join(written))
}
