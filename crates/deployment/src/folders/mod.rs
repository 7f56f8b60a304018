//! Finds the folders of a checkout that are sources of their own: folders that an Application could have as its path.
//!
//! These are folders with a kustomization or a chart, and other folders that contain manifests. When a kustomization,
//! a chart or a folder above uses a folder, it may be only a part of that source: then the caller renders it, too,
//! and leaves it out if the other sources show all its Jobs. [`render::detect`] decides which tool Argo CD would
//! render a folder with, as for a single directory.
//!
//! The search does not follow symlinks to directories, and opens no file in `.git`.

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

use checkout::clean;
use goyaml::documents::Form;
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::settings::CONFIG_FILE;
use system::canonical;
use walkdir::{DirEntry, WalkDir};

use contents::{Content, content_of, is_stream};
use references::References;
pub(crate) use references::named_by_kustomization;

/// The maximum number of files and folders that a search visits.
const MAX_ENTRIES: usize = 1 << 20;

/// The maximum number of bytes read through symlinks, counted for each link: otherwise a link of a few bytes would
/// cost as much as a large file.
const MAX_LINKED: u64 = 64 << 20;

/// The maximum size of a file that is read, in bytes: nobody writes larger manifests by hand.
const MAX_FILE: u64 = 8 << 20;

/// A folder that can be a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its path, which begins with the path that was searched.
    pub dir: PathBuf,
    /// The tool that renders it; `None` for plain manifests.
    pub renderer: Option<Renderer>,
    /// For plain manifests: the names of its files with manifests, without the files that kustomizations use.
    pub files: Vec<PathBuf>,
    /// True when the user named a single file instead of the folder.
    pub is_file: bool,
    /// The cleaned paths of the sources that use it, when it may be only a part of them. `None` for a source of its
    /// own.
    pub part_of: Option<Vec<PathBuf>>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The sources and their parts, sorted by path. A folder of plain manifests occurs twice when kustomizations use
    /// some of its files.
    pub folders: Vec<Folder>,
    /// The number of folders that contain templates but no manifests, and are not inside a chart.
    pub templates: usize,
    /// The number of YAML and JSON files outside of charts and kustomizations that are not manifests.
    pub other_files: usize,
}

/// The folders, each with the sorted names of its files.
type Listing = BTreeMap<PathBuf, Vec<OsString>>;

/// Searches a directory and all directories below it.
pub fn find(top: &Path) -> io::Result<Found> {
    find_in(top, &checkout::repository_root(top)?)
}

/// Searches a directory of the checkout with the root `root`, and all directories below it.
pub fn find_in(top: &Path, root: &Path) -> io::Result<Found> {
    let listing = list(top, root)?;
    let mut kinds = BTreeMap::new();
    let mut references = References::new(&listing);
    for (dir, names) in &listing {
        let renderer = renderer_among(names);
        match renderer {
            Some(Renderer::Kustomize) => references.add_kustomization(dir, &kustomization(dir, names, root)),
            Some(Renderer::Helm) => references.add_chart(dir, &text_or_nothing(&dir.join("Chart.yaml"), root)),
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
            plain(dir, names, &Surrounding { root, references: &references, around }, &mut found);
            continue;
        };
        let users: Vec<PathBuf> = references.users(dir).collect();
        let is_part = around.is_some() || !users.is_empty() || references.is_for_others(dir);
        let part_of = is_part.then(|| around.into_iter().flatten().chain(users).collect());
        found.folders.push(Folder { part_of, ..Folder::new(dir, Some(renderer), Vec::new()) });
    }
    Ok(found)
}

/// The surroundings that decide whether a folder of plain manifests is a part of other sources.
struct Surrounding<'s> {
    root: &'s Path,
    references: &'s References<'s>,
    /// The charts that contain the folder as one of their parts; `None` when it can be a source of its own.
    around: Option<Vec<PathBuf>>,
}

impl Folder {
    fn new(dir: &Path, renderer: Option<Renderer>, files: Vec<PathBuf>) -> Self {
        Self { dir: dir.to_owned(), renderer, files, is_file: false, part_of: None }
    }

    /// Removes the Jsonnet files, which Argo CD evaluates and this program cannot.
    pub fn forget_jsonnet(&mut self) {
        self.files.retain(|file| extension(file.as_os_str()) != b"jsonnet");
    }

    /// Whether it has manifests with which a chart is tested. Nobody applies them.
    pub fn is_test_of_a_chart(&self) -> bool {
        self.renderer.is_none() && TESTS_OF_CHART.iter().any(|tests| self.users_with_it_in(tests).next().is_some())
    }

    /// The sources that use this folder and have it below their subfolder `part`, at any depth.
    pub(crate) fn users_with_it_in(&self, part: &str) -> impl Iterator<Item = &PathBuf> {
        let dir = clean(&self.dir);
        let is_in_part = move |user: &&PathBuf| {
            dir.strip_prefix(user).is_ok_and(|below| below.iter().next().is_some_and(|first| first == part))
        };
        self.part_of.iter().flatten().filter(is_in_part)
    }

    /// Whether it has a chart, a kustomization, or a manifest.
    pub fn is_source(&self) -> bool {
        self.renderer.is_some() || !self.files.is_empty()
    }
}

/// The tool with which Argo CD would render a directory; `None` for plain manifests.
pub fn renderer(dir: &Path) -> io::Result<Option<Renderer>> {
    Ok(renderer_among(&names(dir)?))
}

/// The tool for a directory with files of these names, which must be sorted.
fn renderer_among(names: &[OsString]) -> Option<Renderer> {
    render::detect(names.iter().filter_map(|name| name.to_str())).0
}

/// The names of all entries of a directory, sorted.
fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<OsString>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// A directory as a source of its own, whatever contains or uses it; and the number of its files that are not
/// manifests.
pub fn folder(dir: &Path) -> io::Result<(Folder, usize)> {
    let names = names(dir)?;
    let renderer = renderer_among(&names);
    let mut found = Found::default();
    if renderer.is_none() {
        let root = checkout::repository_root(dir)?;
        plain(dir, &names, &Surrounding { root: &root, references: &References::default(), around: None }, &mut found);
    }
    let files = found.folders.pop().map(|folder| folder.files).unwrap_or_default();
    Ok((Folder::new(dir, renderer, files), found.other_files))
}

/// Whether a file is a manifest, or was meant to be one. If Argo CD does not read files with such a name, it must
/// contain nothing but objects: other texts may contain manifests as examples.
pub fn is_manifest(file: &Path) -> io::Result<bool> {
    let name = file.file_name().unwrap_or_default();
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = checkout::repository_root(dir)?;
    Ok(if is_text(name) { content(file, &root) == Content::Manifest } else { is_stream(&text_or_nothing(file, &root)) })
}

/// Whether two directories contain the same files; false when one of them cannot be read.
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
            _ => checkout::have_equal_bytes(&one, &other, MAX_FILE).unwrap_or(false),
        }
    };
    matches!((entries(one), entries(other)), (Ok(one), Ok(other)) if one == other && one.iter().all(are_equal))
}

/// Adds a folder without a chart or kustomization: as a source with its own manifests, and as a part with the
/// manifests that kustomizations use.
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
        // Add all files, not only manifests: Argo CD reads the whole folder or nothing, and templates are seldom
        // valid YAML.
        if !own.is_empty() || !used.is_empty() {
            let part_of = Some(charts.iter().cloned().chain(users).collect());
            found.folders.push(Folder { part_of, ..Folder::new(dir, None, texts().collect()) });
        }
        return;
    }
    found.other_files += others;
    found.templates += usize::from(own.is_empty() && used.is_empty() && templates > 0);
    if !own.is_empty() {
        // Jsonnet files stay in the list, because reading the source must refuse them: Argo CD would evaluate them.
        own.extend(names.iter().filter(|name| extension(name) == b"jsonnet").map(PathBuf::from));
        found.folders.push(Folder::new(dir, None, own));
    }
    if !used.is_empty() {
        let part_of = Some(users.into_iter().collect());
        found.folders.push(Folder { part_of, ..Folder::new(dir, None, used) });
    }
}

/// Lists all folders with their files. Fails when there are too many, or when symlinks lead to too many bytes.
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

/// False for a folder `.git`, which is not searched.
fn is_looked_into(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_type().is_dir() || entry.file_name() != ".git"
}

/// Whether a folder with this name seldom contains sources, such as `.github` or `node_modules`: in such folders only
/// sources with Jobs count.
fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "node_modules"
}

/// The subfolders of a chart that contain only its parts.
const PARTS_OF_CHART: [&str; 3] = ["templates", "charts", "crds"];

/// The subfolders of a chart with the manifests of its tests, such as those of helm-unittest.
const TESTS_OF_CHART: [&str; 3] = ["test", "testdata", "tests"];

/// The charts that contain `dir` in one of their part folders, at any depth.
fn charts_around<'d>(dir: &'d Path, kinds: &BTreeMap<&PathBuf, Option<Renderer>>) -> impl Iterator<Item = &'d Path> {
    let is_part = |folder: &&Path| {
        let is_name = |name: &OsStr| PARTS_OF_CHART.iter().chain(&TESTS_OF_CHART).any(|part| name == *part);
        folder.file_name().is_some_and(is_name)
    };
    let is_chart = |dir: &&Path| kinds.get(&dir.to_path_buf()).copied().flatten() == Some(Renderer::Helm);
    dir.ancestors().filter(is_part).filter_map(Path::parent).filter(is_chart)
}

/// Whether Argo CD reads files with this name as plain manifests.
fn is_text(name: &OsStr) -> bool {
    [&b"yaml"[..], b"yml", b"json"].contains(&extension(name))
}

/// The bytes after the last dot of a name; the whole name when it has no dot.
fn extension(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes().rsplit(|byte| *byte == b'.').next().unwrap_or_default()
}

/// The text of the kustomization file that kustomize would read; empty when it cannot be read.
fn kustomization(dir: &Path, names: &[OsString], root: &Path) -> String {
    let name = KUSTOMIZATIONS.into_iter().find(|name| names.iter().any(|found| found == name));
    name.map(|name| text_or_nothing(&dir.join(name), root)).unwrap_or_default()
}

fn content(path: &Path, root: &Path) -> Content {
    match text(path, root) {
        Ok(Some(text)) => content_of(&text, Form::of_file(path)),
        Ok(None) => Content::Other,
        // The file is too large, in another encoding, or not fetched in this clone. Reading the source reports that.
        Err(_) => Content::Manifest,
    }
}

/// The path of the real file, after following symlinks, relative to `root`. `None` when the repository does not
/// contain it.
fn below_root(path: &Path, root: &Path) -> io::Result<Option<PathBuf>> {
    let real = match canonical(path) {
        Ok(real) => Some(real).filter(|real| checkout::is_in_repository(real, root) && real.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    Ok(real.and_then(|real| real.strip_prefix(root).ok().map(Path::to_owned)))
}

/// The text of a file; `None` when it is not a regular file of the repository.
fn text(path: &Path, root: &Path) -> io::Result<Option<String>> {
    let below = below_root(path, root)?;
    below.map_or(Ok(None), |below| checkout::small_file_in(root, &below, MAX_FILE))
}

/// Like `text`, but empty for a file that cannot be read: reading the source reports that.
fn text_or_nothing(path: &Path, root: &Path) -> String {
    text(path, root).ok().flatten().unwrap_or_default()
}

/// A path as kustomizations and charts write it, relative to `dir`, with `..` resolved.
fn below(dir: &Path, written: &str) -> PathBuf {
    clean(&dir.join(written))
}
