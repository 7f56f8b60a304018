//! The files of a checkout that a rendering certainly reads. What is not understood here is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use checkout::clean;
use checkout::follow::{AbsoluteLinks, Found, Kind, follow};
use goyaml::Value;
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::manifest::Manifest;
use rewrite::settings::{ApplicationSettings, SourceKind};
use rewrite::version::Version;
use system::canonical;
use text::Origin;
use walkdir::WalkDir;

use crate::applications::ApplicationSource;
use crate::folders::{self, named_by_kustomization};

/// The most files that are looked at.
const MAX_FILES: usize = 10_000;

/// The largest file that is searched for names, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The files that a source reads in a checkout with this root. Each has the path by which people name it: the folder of a kustomization or a chart that
/// has the file, or the file. All are absolute.
pub(crate) fn of(source: &ApplicationSource, version: &Version, root: &Path) -> BTreeMap<PathBuf, PathBuf> {
    let mut reads = Reads { root, found: BTreeMap::new() };
    let settings = &version.settings;
    let is_here = source.elsewhere.is_none();
    let dir = root.join(&source.dir);
    let renderer = match settings.source {
        _ if !is_here => Some(Renderer::Helm),
        SourceKind::Helm => Some(Renderer::Helm),
        SourceKind::Kustomize => Some(Renderer::Kustomize),
        SourceKind::Directory => None,
        SourceKind::Auto => folders::renderer(&dir).unwrap_or_default(),
    };
    match renderer {
        Some(Renderer::Helm) => {
            if is_here {
                reads.chart(&dir, &dir);
                reads.dependencies(&dir);
            }
            reads.value_files(source, &dir, settings);
        }
        Some(Renderer::Kustomize) => reads.kustomizations(&dir, settings),
        None => reads.manifests(&version.manifests, &dir),
    }
    reads.found
}

struct Reads<'r> {
    root: &'r Path,
    found: BTreeMap<PathBuf, PathBuf>,
}

impl Reads<'_> {
    /// The file or folder at a path in the checkout, with symlinks resolved. None if there is none.
    fn at(&self, path: &Path) -> Option<Found> {
        follow(self.root, &clean(path), AbsoluteLinks::Refuse).ok()
    }

    /// Adds a file, which belongs to the folder `of`. One that is elsewhere is named by its own path.
    fn add(&mut self, file: &Path, of: &Path) {
        let Some(Found { place, kind: Kind::File }) = self.at(file) else { return };
        let named = if place.starts_with(of) { of.to_owned() } else { place.clone() };
        if self.found.len() < MAX_FILES {
            self.found.entry(place).or_insert(named);
        }
    }

    fn value(&self, file: &Path) -> Option<Value> {
        let below = file.strip_prefix(self.root).ok()?;
        Value::read(&checkout::small_file_in(self.root, below, MAX_FILE).ok()??).ok()
    }

    /// Adds a kustomization and what it names, and so on. `settings` name more for the first one.
    fn kustomizations(&mut self, dir: &Path, settings: &ApplicationSettings) {
        let patches = settings.kustomize.patches.iter().filter_map(|patch| patch.text_at(&["path"]));
        let more = settings.kustomize.components.iter().map(String::as_str).chain(patches);
        let mut names: Vec<String> = more.map(ToOwned::to_owned).collect();
        let (mut todo, mut seen) = (vec![dir.to_owned()], BTreeSet::new());
        while let Some(dir) = todo.pop().filter(|_| seen.len() < MAX_FILES) {
            let Some(file) = KUSTOMIZATIONS.iter().map(|name| dir.join(name)).find(|file| file.exists()) else {
                continue;
            };
            if !seen.insert(dir.clone()) {
                continue;
            }
            self.add(&file, &dir);
            names.extend(self.value(&file).map(|value| named_by_kustomization(&value)).unwrap_or_default());
            for name in std::mem::take(&mut names) {
                // An inline patch has several lines.
                let path = (!name.contains('\n')).then(|| dir.join(&name));
                match path.and_then(|path| self.at(&path)) {
                    Some(Found { place, kind: Kind::Directory }) => todo.push(place),
                    Some(Found { place, kind: Kind::File }) => self.add(&place, &dir),
                    _ => {}
                }
            }
        }
    }

    /// Adds the files of a chart, which belong to the folder `of`.
    fn chart(&mut self, chart: &Path, of: &Path) {
        for name in ["Chart.yaml", "values.yaml"] {
            self.add(&chart.join(name), of);
        }
        // It can leave templates out.
        if chart.join(".helmignore").exists() {
            return;
        }
        for entry in WalkDir::new(chart.join("templates")).into_iter().take(MAX_FILES).flatten() {
            if !entry.file_type().is_dir() {
                self.add(entry.path(), of);
            }
        }
    }

    /// Adds the dependencies of a chart that are in the checkout. One that is in `charts` is read there. A condition or a tag can turn one off.
    fn dependencies(&mut self, chart: &Path) {
        let Some(value) = self.value(&chart.join("Chart.yaml")) else { return };
        for one in value.items_at(&["dependencies"]) {
            let path = one.text_at(&["repository"]).and_then(|url| url.strip_prefix("file://"));
            let (Some(path), Some(name)) = (path, one.text_at(&["name"])) else { continue };
            let can_be_off = one.at(&["condition"]).is_some() || one.at(&["tags"]).is_some();
            if can_be_off || path.starts_with('/') || is_packed(chart, name) {
                continue;
            }
            if let Some(Found { place, kind: Kind::Directory }) = self.at(&chart.join(path)) {
                self.chart(&place, &place);
            }
        }
    }

    /// Adds value files and file parameters.
    fn value_files(&mut self, source: &ApplicationSource, dir: &Path, settings: &ApplicationSettings) {
        for written in settings.helm.value_files.iter().chain(settings.helm.file_parameters.values()) {
            let reference = written.strip_prefix('$').and_then(|rest| rest.split_once('/'));
            let path = match reference {
                Some((name, below)) if source.references.get(name) == Some(&None) => self.root.join(below),
                // The build environment, or a URL.
                _ if written.contains(['$', ':']) => continue,
                _ if source.elsewhere.is_some() => continue,
                _ => match written.strip_prefix('/') {
                    Some(below) => self.root.join(below.trim_start_matches('/')),
                    None => dir.join(written),
                },
            };
            self.add(&path, dir);
        }
    }

    /// Adds the files of a directory; those behind symlinks can be elsewhere.
    fn manifests(&mut self, manifests: &[Manifest], dir: &Path) {
        for manifest in manifests {
            if let Origin::File(path) = &manifest.origin
                && let Ok(real) = canonical(path)
            {
                self.add(&real, dir);
            }
        }
    }
}

/// Whether `charts` has a chart of this name.
fn is_packed(chart: &Path, name: &str) -> bool {
    let packed = WalkDir::new(chart.join("charts")).min_depth(1).max_depth(1).into_iter().flatten();
    packed.into_iter().any(|entry| {
        let rest = entry.file_name().to_str().and_then(|found| found.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}
