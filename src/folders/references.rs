//! What kustomizations and charts use of the folders around them.

use std::path::{Path, PathBuf};

use super::{Folders, Used, Why, below};
use crate::source::clean;
use crate::yaml::Value;

/// The keys of a kustomization whose items are paths of files or folders (`types.Kustomization` in kustomize's `api/types`).
const PATHS: [&str; 8] =
    ["resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators"];

/// The keys whose items are paths of patches, or patches themselves.
const PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];

/// What the kustomizations and charts of a checkout use.
#[derive(Debug, Default)]
pub(super) struct References {
    used: Used,
    components: Folders,
    libraries: Folders,
}

impl References {
    /// Adds what the kustomization in `dir` uses; `text` is its file.
    pub(super) fn add_kustomization(&mut self, dir: &Path, text: &str) {
        // kustomize itself says what is wrong with one that cannot be read.
        let Ok(value) = Value::read(text) else { return };
        let user = clean(dir);
        if value.text_at(&["kind"]) == Some("Component") {
            self.components.insert(user.clone());
        }
        let items = |key: &str| value.at(&[key]).and_then(Value::as_list).unwrap_or_default();
        for item in PATHS.iter().flat_map(|key| items(key)).filter_map(Value::as_text) {
            self.add(dir, item, &user);
        }
        for item in PATCHES.iter().flat_map(|key| items(key)) {
            if let Some(path) = item.text_at(&["path"]).or(item.as_text()) {
                self.add(dir, path, &user);
            }
        }
        for key in ["configMapGenerator", "secretGenerator"] {
            for file in items(key).iter().filter_map(|item| item.at(&["files"])?.as_list()).flatten() {
                // `key=path`, or the path alone.
                let path = file.as_text().map(|text| text.split_once('=').map_or(text, |(_, path)| path));
                path.into_iter().for_each(|path| self.add(dir, path, &user));
            }
        }
        let home = value.text_at(&["helmGlobals", "chartHome"]).unwrap_or("charts");
        for chart in items("helmCharts").iter().filter_map(|chart| chart.text_at(&["name"])) {
            self.add(dir, &format!("{home}/{chart}"), &user);
        }
    }

    /// Adds what the chart in `dir` uses; `text` is its `Chart.yaml`.
    pub(super) fn add_chart(&mut self, dir: &Path, text: &str) {
        let Ok(value) = Value::read(text) else { return };
        let user = clean(dir);
        if value.text_at(&["type"]) == Some("library") {
            self.libraries.insert(user.clone());
        }
        let dependencies = value.at(&["dependencies"]).and_then(Value::as_list).unwrap_or_default();
        for path in dependencies.iter().filter_map(|one| one.text_at(&["repository"])?.strip_prefix("file://")) {
            self.add(dir, path, &user);
        }
    }

    fn add(&mut self, dir: &Path, written: &str, user: &Path) {
        // A patch can be written in the place of its path.
        if written.len() > 4096 || written.contains('\n') {
            return;
        }
        let path = below(dir, written);
        if path != user {
            self.used.entry(path).or_insert_with(|| user.to_owned());
        }
    }

    /// Whether a kustomization uses the file.
    pub(super) fn uses_file(&self, path: &Path) -> bool {
        self.used.contains_key(&clean(path))
    }

    /// Why the kustomization or chart in `dir` is no source of its own; none when it is one.
    pub(super) fn why_not(&self, dir: &Path) -> Option<Why> {
        let dir: PathBuf = clean(dir);
        if let Some(user) = self.used.get(&dir) {
            return Some(Why::UsedBy(user.clone()));
        }
        if self.components.contains(&dir) {
            return Some(Why::Component);
        }
        self.libraries.contains(&dir).then_some(Why::Library)
    }
}
