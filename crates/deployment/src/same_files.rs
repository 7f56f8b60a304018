//! Finds sources whose files and settings are equal in both versions, so that each is rendered only once.
//!
//! Whatever a rendering could read has to be the same on disk. That is the folder, and what its kustomizations, its `Chart.yaml` and its settings name
//! outside of it. A text that may name something in a way that is not understood here makes the source be rendered twice. What differs at
//! every rendering is nothing that a change has made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use checkout::clean;
use goyaml::Value;
use goyaml::split::split;
use goyaml::value::folded;
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::settings::ApplicationSettings;
use rewrite::version::Version;
use system::canonical;
use walkdir::WalkDir;

use crate::applications::Elsewhere;
use crate::pair::Pair;
use crate::run::Run;
use crate::target::Target;
use crate::{base, folders};

/// The files of a chart that name other charts.
const OF_CHART: [&str; 2] = ["Chart.yaml", "requirements.yaml"];

/// The fields of a kustomization that name what is elsewhere, or files in which there can be more names. kustomize reads them in any case.
const UNCLEAR: [&str; 5] = ["generators", "transformers", "validators", "helmcharts", "helmchartinflationgenerator"];

/// The largest file that is searched for names, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Whether a chart or a kustomization certainly renders to the same in the version that `--base` names. `version` is what it renders to now.
pub(crate) fn is_unchanged(target: &Target, version: &Version, run: &Run) -> bool {
    is_declared_alike(target) && has_same_files(target, &version.settings, run).unwrap_or(false)
}

/// Whether both versions declare the same settings outside of the source's folder.
fn is_declared_alike(target: &Target) -> bool {
    match target {
        Target::Folder(folder) => folder.renderer.is_some(),
        Target::Application(Pair::Both { new, old }, _) => {
            new.dir == old.dir && new.says_the_same(old) && is_alone(target)
        }
        Target::Application(Pair::Old(_), _) => is_alone(target),
        _ => false,
    }
}

/// Whether a source of an Application reads nothing of other sources or repositories.
fn is_alone(target: &Target) -> bool {
    target.source().is_some_and(|source| source.elsewhere.is_none() && source.references.is_empty())
}

/// None if it is unknown what a rendering reads.
fn has_same_files(target: &Target, settings: &ApplicationSettings, run: &Run) -> Option<bool> {
    let roots = Roots::of(&target.path(), run)?;
    let renderer = folders::renderer(&roots.dir).ok()??;
    let options = settings.platform.build_options.split_whitespace();
    if renderer == Renderer::Kustomize && !options.into_iter().all(|option| option == "--enable-helm") {
        return None;
    }
    roots.have_same_reach(renderer, settings, &BTreeMap::new(), Care::Everywhere)
}

/// A folder, and where the roots of both versions are.
pub(crate) struct Roots {
    /// The folder in this version, without symlinks.
    pub(crate) dir: PathBuf,
    /// The root of this version.
    root: PathBuf,
    /// The root of the version that `--base` names.
    base: PathBuf,
}

impl Roots {
    /// None if that version does not have the folder.
    pub(crate) fn of(path: &Path, run: &Run) -> Option<Self> {
        let base = base::of(path, run).ok()??;
        let (dir, old) = (canonical(path).ok()?, canonical(&base.dir).ok()?);
        let below = old.strip_prefix(&base.root).ok()?;
        let root = dir.ancestors().nth(below.iter().count()).filter(|root| root.join(below) == dir)?.to_owned();
        Some(Self { dir, root, base: base.root })
    }

    /// Whether both versions have the same files that a rendering of the folder reads; none if these are unknown.
    pub(crate) fn have_same_reach(
        &self,
        renderer: Renderer,
        settings: &ApplicationSettings,
        references: &BTreeMap<String, Option<Elsewhere>>,
        care: Care,
    ) -> Option<bool> {
        let beside = beside(self, renderer, settings, references)?;
        let reach = reach(self, renderer, beside, care)?;
        Some(reach.iter().all(|path| self.have_same(path)))
    }

    /// The path in the other version for a path of this version. None if the path is not below its folder.
    pub(crate) fn in_base(&self, path: &Path) -> Option<PathBuf> {
        let below = path.parent().and_then(|dir| canonical(dir).ok())?.join(path.file_name()?);
        Some(self.base.join(below.strip_prefix(&self.root).ok()?))
    }

    /// Whether both versions have the same at a path of this version.
    pub(crate) fn have_same(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else { return false };
        have_same(path, &self.base.join(below))
    }
}

/// Whether both paths have equal content, or neither exists.
pub(crate) fn have_same(path: &Path, other: &Path) -> bool {
    match (path.symlink_metadata().is_ok(), other.symlink_metadata().is_ok()) {
        (true, true) if path.is_dir() => other.is_dir() && folders::are_equal(path, other),
        (true, true) => checkout::have_equal_bytes(path, other, MAX_FILE).unwrap_or(false),
        (here, there) => !here && !there,
    }
}

/// What has to be known about what a rendering reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// All of it: nothing else decides what it renders to.
    Everywhere,
    /// Only what is in this checkout: the change is there.
    Here,
}

/// The paths that the settings name.
fn beside(
    roots: &Roots,
    renderer: Renderer,
    settings: &ApplicationSettings,
    references: &BTreeMap<String, Option<Elsewhere>>,
) -> Option<Vec<PathBuf>> {
    match renderer {
        Renderer::Helm => value_files(roots, settings, references),
        Renderer::Kustomize => {
            let patches = settings.kustomize.patches.iter().filter_map(|patch| patch.text_at(&["path"]));
            let named = settings.kustomize.components.iter().map(String::as_str).chain(patches);
            Some(named.map(|path| roots.dir.join(path)).collect())
        }
    }
}

/// The files and folders that a rendering can read: its folder and `beside`, and what they name. All are below the root, and the root is not among them.
fn reach(
    Roots { dir, root, .. }: &Roots,
    renderer: Renderer,
    beside: Vec<PathBuf>,
    care: Care,
) -> Option<BTreeSet<PathBuf>> {
    let mut todo = beside;
    todo.push(dir.clone());
    let names: &[&str] = match renderer {
        Renderer::Helm => &OF_CHART,
        Renderer::Kustomize => &KUSTOMIZATIONS,
    };
    let mut reach = BTreeSet::new();
    while let Some(path) = todo.pop() {
        let path = clean(&path);
        if care == Care::Here && path.starts_with(root) && path.symlink_metadata().is_err() {
            reach.insert(path);
            continue;
        }
        // The base may have a path that this version does not have.
        let there = path.ancestors().find(|path| path.symlink_metadata().is_ok())?;
        if there == *root || !there.starts_with(root) {
            return None;
        }
        if reach.insert(there.to_owned()) {
            todo.extend(named_in(there, names, care)?);
        }
    }
    Some(reach)
}

/// The paths of value files and file parameters outside of the chart.
fn value_files(
    Roots { dir, root, .. }: &Roots,
    settings: &ApplicationSettings,
    references: &BTreeMap<String, Option<Elsewhere>>,
) -> Option<Vec<PathBuf>> {
    let is_of_root = checkout::repository_root(dir).ok()? == *root;
    let path = |written: &String| {
        if let Some((name, below)) = written.strip_prefix('$').and_then(|rest| rest.split_once('/'))
            && let Some(None) = references.get(name)
        {
            return is_of_root.then(|| root.join(below));
        }
        match written.strip_prefix('/') {
            _ if written.contains(['$', ':']) => None,
            Some(below) => is_of_root.then(|| root.join(below.trim_start_matches('/'))),
            None => Some(dir.join(written)),
        }
    };
    settings.helm.value_files.iter().chain(settings.helm.file_parameters.values()).map(path).collect()
}

/// The paths outside of their folders that the files of these names name, at any depth below `top`. `None` with a symlink, which can lead anywhere, and
/// with a packed chart.
fn named_in(top: &Path, names: &[&str], care: Care) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(top) {
        let entry = entry.ok()?;
        if entry.file_type().is_dir() {
            continue;
        }
        let is_packed = entry.path().extension().is_some_and(|extension| extension == "tgz");
        if !entry.file_type().is_file() || entry.metadata().ok()?.len() > MAX_FILE {
            return None;
        }
        if is_packed && care == Care::Everywhere {
            return None;
        }
        if names.iter().any(|name| entry.file_name() == *name) {
            let text = String::from_utf8(fs::read(entry.path()).ok()?).ok()?;
            let dir = entry.path().parent()?;
            found.extend(named(&text, care)?.into_iter().map(|path| dir.join(path)));
        }
    }
    Some(found)
}

/// The paths with `..` that a kustomization or a `Chart.yaml` names, at any depth. None if there can be others.
fn named(text: &str, care: Care) -> Option<Vec<PathBuf>> {
    let pieces = split(text);
    if pieces.len() > 1 || pieces.error.is_some() {
        return None;
    }
    let value = Value::read(text).ok()?;
    let has_unclear_key = || UNCLEAR.iter().any(|name| fields(&value, name).next().is_some());
    if care == Care::Everywhere && (has_unclear_key() || has_remote_chart(&value)) {
        return None;
    }
    let (mut found, mut todo) = (Vec::new(), vec![&value]);
    while let Some(value) = todo.pop() {
        match value {
            Value::List(items) => todo.extend(items.iter()),
            Value::Map(map) => todo.extend(map.iter().map(|(_, value)| value)),
            Value::String(text) if is_elsewhere(text) => found.push(path_in(text)?),
            _ => {}
        }
    }
    Some(found)
}

/// Whether a text leads to a folder above.
fn is_elsewhere(text: &str) -> bool {
    text.split(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '=' | '"' | '\''))
        .any(|part| part == "..")
}

/// The path in a text that names a file: a path, `key=path`, or `file://path`. None if there may be something else in it.
fn path_in(text: &str) -> Option<PathBuf> {
    let path = text.strip_prefix("file://").unwrap_or(text);
    let path = path.split_once('=').map_or(path, |(_, path)| path);
    (!path.contains(['\n', '=', ':']) && !path.starts_with('/')).then(|| PathBuf::from(path))
}

/// Whether a `Chart.yaml` names a chart that is not in the checkout.
fn has_remote_chart(chart: &Value) -> bool {
    let is_here = |repository: &Value| match repository {
        Value::Null => true,
        Value::String(url) => url.is_empty() || url.strip_prefix("file://").is_some_and(|path| !path.starts_with('/')),
        _ => false,
    };
    let dependencies = fields(chart, "dependencies").filter_map(Value::as_list).flatten();
    dependencies.flat_map(|dependency| fields(dependency, "repository")).any(|repository| !is_here(repository))
}

/// The values of a field, whose name helm and kustomize read in any case.
fn fields<'v>(map: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    map.as_map().into_iter().flatten().filter(move |(key, _)| folded(key) == name).map(|(_, value)| value)
}
