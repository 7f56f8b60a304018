//! Finds the files and folders that kustomizations and charts refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use checkout::clean;
use goyaml::Value;

use super::{Listing, below};

/// The fields of a kustomization that list paths of files or folders (`types.Kustomization` in kustomize's
/// `api/types`).
const PATHS: [&str; 8] =
    ["resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators"];

/// The fields that list patches, each as a path or inline.
const PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];

/// What a kustomization has where it names files and folders: paths relative to its folder, and inline patches, which have several lines.
pub(crate) fn named_by_kustomization(kustomization: &Value) -> Vec<String> {
    let items = |key: &str| kustomization.items_at(&[key]);
    let paths = PATHS.iter().flat_map(|key| items(key)).filter_map(Value::as_text);
    let patches = PATCHES.iter().flat_map(|key| items(key));
    let patches = patches.filter_map(|item| item.text_at(&["path"]).or(item.as_text()));
    let mut found: Vec<String> = paths.chain(patches).map(ToOwned::to_owned).collect();
    for key in ["configMapGenerator", "secretGenerator"] {
        for file in items(key).iter().filter_map(|item| item.at(&["files"])?.as_list()).flatten() {
            // An item is `key=path` or a path.
            let path = file.as_text().map(|text| text.split_once('=').map_or(text, |(_, path)| path));
            found.extend(path.map(ToOwned::to_owned));
        }
    }
    let home = kustomization.text_at(&["helmGlobals", "chartHome"]).unwrap_or("charts");
    let charts = items("helmCharts").iter().filter_map(|chart| chart.text_at(&["name"]));
    found.extend(charts.map(|chart| format!("{home}/{chart}")));
    found
}

/// The files and folders that the kustomizations and charts of a checkout refer to.
#[derive(Debug, Default)]
pub(super) struct References<'l> {
    /// All folders by their cleaned paths, with the names of their files.
    there: BTreeMap<PathBuf, &'l [OsString]>,
    /// Cleaned paths of referenced files and folders, each with the folders that refer to it. Paths that do not exist
    /// are dropped: a kustomization of 5 MiB can name half a million of them.
    used: BTreeMap<PathBuf, Vec<Rc<Path>>>,
    /// The folders with components and library charts, which are never sources of their own.
    for_others: BTreeSet<PathBuf>,
}

impl<'l> References<'l> {
    /// No references yet; `listing` has the files and folders that exist.
    pub(super) fn new(listing: &'l Listing) -> Self {
        Self { there: listing.iter().map(|(dir, names)| (clean(dir), names.as_slice())).collect(), ..Self::default() }
    }

    fn is_there(&self, path: &Path) -> bool {
        let is_in = |names: &[OsString], name| names.binary_search_by(|own| own.as_os_str().cmp(name)).is_ok();
        let file = || Some(is_in(self.there.get(path.parent()?)?, path.file_name()?));
        self.there.contains_key(path) || file().unwrap_or(false)
    }

    /// Adds the references of the kustomization in `dir`; `text` is the content of its file.
    pub(super) fn add_kustomization(&mut self, dir: &Path, text: &str) {
        // kustomize itself reports the error when the file is not valid YAML.
        let Ok(value) = Value::read(text) else { return };
        let user: Rc<Path> = clean(dir).into();
        if value.text_at(&["kind"]) == Some("Component") {
            self.for_others.insert(user.to_path_buf());
        }
        for path in named_by_kustomization(&value) {
            self.add(dir, &path, &user);
        }
    }

    /// Adds the references of the chart in `dir`; `text` is the content of its `Chart.yaml`.
    pub(super) fn add_chart(&mut self, dir: &Path, text: &str) {
        let Ok(value) = Value::read(text) else { return };
        let user: Rc<Path> = clean(dir).into();
        if value.text_at(&["type"]) == Some("library") {
            self.for_others.insert(user.to_path_buf());
        }
        let dependencies = value.items_at(&["dependencies"]);
        for path in dependencies.iter().filter_map(|one| one.text_at(&["repository"])?.strip_prefix("file://")) {
            self.add(dir, path, &user);
        }
    }

    fn add(&mut self, dir: &Path, written: &str, user: &Rc<Path>) {
        // An inline patch is not a path.
        if written.len() > 4096 || written.contains('\n') {
            return;
        }
        let path = below(dir, written);
        if *path == **user || !self.is_there(&path) {
            return;
        }
        let users = self.used.entry(path).or_default();
        if users.last() != Some(user) {
            users.push(Rc::clone(user));
        }
    }

    /// The folders whose kustomization or chart refers to this folder or file.
    pub(super) fn users(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        self.used.get(&clean(path)).into_iter().flatten().map(|user| user.to_path_buf())
    }

    /// Whether the folder is a component or a library chart, which can only be used by other folders.
    pub(super) fn is_for_others(&self, dir: &Path) -> bool {
        self.for_others.contains(&clean(dir))
    }

    /// The number of referenced paths.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.used.len()
    }
}
