//! Roots that nothing in the checkout declares: a chart that prints Applications, once with each of its value files.
//!
//! Somebody outside of the repository gives such a chart its values: Terraform, an installer, a person. The values are in files next to
//! `values.yaml`, one for each environment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use checkout::clean;
use render::Renderer;
use system::canonical;

use crate::applications::{self, ApplicationSource, Checkout};
use crate::folders::Folder;
use crate::graph::step;
use crate::outcome::Read;
use crate::search;
use crate::target::Target;

/// A source for each value file, `values-<name>.yaml`, of a chart that prints Applications. `dir` is where the chart is, in the checkout or in
/// a copy of its base; the source is that of an Application with the name of the folder.
pub(crate) fn of_chart(folder: &Folder, checkout: &Checkout) -> Vec<ApplicationSource> {
    if folder.renderer != Some(Renderer::Helm) || folder.part_of.is_some() || !prints_applications(&folder.dir) {
        return Vec::new();
    }
    let Some(below) = canonical(&folder.dir).ok().and_then(|dir| below(&dir, checkout)) else {
        return Vec::new();
    };
    value_files(&folder.dir).iter().filter_map(|name| source(&folder.dir, &below, name, checkout)).collect()
}

/// The folder of a chart as the base has it.
pub(crate) fn in_base(folder: &Folder, checkout: &Checkout, base: &Checkout) -> Option<Folder> {
    let below = below(&canonical(&folder.dir).ok()?, checkout)?;
    Some(Folder { dir: base.root.join(below), ..folder.clone() })
}

fn below(dir: &Path, checkout: &Checkout) -> Option<PathBuf> {
    dir.strip_prefix(&checkout.root).ok().map(Path::to_owned)
}

/// Whether a template of the chart can print an Application.
fn prints_applications(chart: &Path) -> bool {
    search::read(&chart.join("templates"), applications::mentions_applications).is_ok_and(|files| !files.is_empty())
}

/// The names of the value files of environments, sorted.
fn value_files(chart: &Path) -> Vec<String> {
    let names =
        fs::read_dir(chart).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_of_environment =
        |name: &String| name.starts_with("values-") && (name.ends_with(".yaml") || name.ends_with(".yml"));
    let mut names: Vec<String> = names.filter(is_of_environment).collect();
    names.sort_unstable();
    names
}

/// The source of an Application that renders the chart in `below` with the value file `name`. Its place is that file.
fn source(dir: &Path, below: &Path, name: &str, checkout: &Checkout) -> Option<ApplicationSource> {
    let release = below.file_name()?.to_str()?.to_lowercase();
    let url = checkout.repository_urls.first().map_or("https://example.com/this.git", String::as_str);
    let application = serde_json::json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": release},
        "spec": {"source": {"repoURL": url, "path": below, "helm": {"valueFiles": [name]}}},
    });
    let files = [(clean(&dir.join(name)), application.to_string())];
    let mut source = applications::read(&files, checkout).sources.pop()?;
    // Nobody knows whether it syncs by itself.
    source.application.sync = None;
    Some(source)
}

/// The folders of charts that can be such roots.
pub(crate) fn candidate(target: &Target) -> Option<&Folder> {
    match target {
        Target::Folder(folder) if folder.renderer == Some(Renderer::Helm) => Some(folder),
        _ => None,
    }
}

/// For each source its name, if what it renders does not arrive by itself.
pub(crate) struct Above {
    /// The Applications that somebody has to sync.
    pub(crate) manual: Vec<Option<String>>,
    /// The sources that nothing is known to sync.
    pub(crate) unknown: Vec<Option<String>>,
}

/// What the Applications that sources render wait for. A root that nothing declares has the policy of the Applications that read its folder with other
/// values; without such an Application nothing is known to sync it.
pub(crate) fn above(read: &[Read], assumed: &BTreeSet<usize>) -> Above {
    let dir = |one: &Read| one.target.source()?.dir_here().map(Path::to_owned);
    let is_manual =
        |one: &Read| one.target.source().and_then(ApplicationSource::sync).is_some_and(|sync| sync.automated.is_none());
    let declared = read.iter().enumerate().filter(|(number, _)| !assumed.contains(number)).map(|(_, one)| one);
    let mut manual_dirs: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for one in declared.filter(|one| one.target.is_application()) {
        let Some(dir) = dir(one) else { continue };
        *manual_dirs.entry(dir).or_insert(true) &= is_manual(one);
    }
    // Whether somebody has to sync it; none if nothing is known to.
    let needs_somebody = |number: usize, one: &Read| match assumed.contains(&number) {
        true => manual_dirs.get(&dir(one)?).copied(),
        false => one.target.source().map(|_| is_manual(one)),
    };
    let mut above = Above { manual: Vec::new(), unknown: Vec::new() };
    for (number, one) in read.iter().enumerate() {
        let is_manual = needs_somebody(number, one);
        let name = || one.target.application().unwrap_or_default().to_owned();
        above.manual.push((is_manual == Some(true)).then(name));
        above.unknown.push(is_manual.is_none().then(|| step(one, assumed.contains(&number))));
    }
    above
}
