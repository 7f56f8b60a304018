//! Roots that nothing in the checkout declares: a chart that prints Applications, once with each of its value files.
//!
//! Somebody outside of the repository gives such a chart its values: Terraform, an installer, a person. The values are in files next to
//! `values.yaml`, one for each environment, or in those that `--values-set` names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use checkout::clean;
use render::Renderer;
use render::chart::environments;
use system::canonical;

use crate::applications::{self, ApplicationSource, Checkout};
use crate::folders::Folder;
use crate::graph::step;
use crate::outcome::Read;
use crate::search;
use crate::target::{Target, ValueSet};

/// A source for each value file of an environment, and for each of the value sets `named`, of a chart that prints Applications. The chart is in the
/// checkout or in a copy of its base; the source is that of an Application with the name of the folder.
pub(crate) fn of_chart(folder: &Folder, named: &[ValueSet], checkout: &Checkout) -> Vec<ApplicationSource> {
    if folder.renderer != Some(Renderer::Helm) || folder.part_of.is_some() || !prints_applications(&folder.dir) {
        return Vec::new();
    }
    let Some(real) = canonical(&folder.dir).ok() else { return Vec::new() };
    let Some(below) = below(&real, checkout) else { return Vec::new() };
    // That of the base may not have it.
    let is_there = |set: &&ValueSet| set.files.iter().all(|file| place_of(&real, file, checkout).exists());
    let named = named.iter().filter(is_there).flat_map(|set| set.files.iter().cloned());
    let mut files = environments(&real, &checkout.root);
    files.extend(named);
    let mut known = BTreeSet::new();
    files.retain(|file| known.insert(file.clone()));
    files.iter().filter_map(|file| source(&folder.dir, &below, file, checkout)).collect()
}

/// Where the file of an entry of `valueFiles` is.
fn place_of(chart: &Path, file: &str, checkout: &Checkout) -> PathBuf {
    file.strip_prefix('/').map_or_else(|| chart.join(file), |below| checkout.root.join(below))
}

/// The folder of a chart as the base has it.
pub(crate) fn in_base(folder: &Folder, checkout: &Checkout, base: &Checkout) -> Option<Folder> {
    let below = below(&canonical(&folder.dir).ok()?, checkout)?;
    Some(Folder { dir: base.root.join(below), ..folder.clone() })
}

fn below(dir: &Path, checkout: &Checkout) -> Option<PathBuf> {
    dir.strip_prefix(&checkout.root).ok().map(Path::to_owned)
}

/// Whether a template of the chart mentions Applications.
fn prints_applications(chart: &Path) -> bool {
    may_have_template(chart, applications::mentions_applications)
}

/// Whether a chart can make Applications, with whichever values.
pub(crate) fn can_make_applications(target: &Target) -> bool {
    let chart = target.chart().filter(|chart| chart.part_of.is_none());
    chart.is_some_and(|chart| may_have_template(&chart.dir, applications::is_template_of_applications))
}

/// That the Applications of such a chart are unknown, because no values that are known give any.
pub(crate) fn silent() -> String {
    "its templates make Applications, and none with the values that are known here\nhelp: name the Application of this chart with `--application FILE`, \
     or its value files: `check . --values-set FILE`"
        .to_owned()
}

/// Whether one of the templates of a chart, or of a chart in it, is meant, or cannot be read.
fn may_have_template(chart: &Path, is_meant: fn(&str) -> bool) -> bool {
    let folders = ["templates", "charts"].map(|folder| chart.join(folder));
    let may_have = |folder: &PathBuf| search::read(folder, is_meant).map_or(true, |files| !files.is_empty());
    folders.iter().filter(|folder| folder.is_dir()).any(may_have)
}

/// The source of an Application that renders the chart in `below` with the value file `file`. Its place is that file.
fn source(dir: &Path, below: &Path, file: &str, checkout: &Checkout) -> Option<ApplicationSource> {
    let release = below.file_name()?.to_str()?.to_lowercase();
    let url = checkout.repository_urls.first().map_or("https://example.com/this.git", String::as_str);
    let application = serde_json::json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": release},
        "spec": {"source": {"repoURL": url, "path": below, "helm": {"valueFiles": [file]}}},
    });
    let files = [(clean(&place_of(dir, file, checkout)), application.to_string())];
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

/// For each source the name of its Application, if what it renders does not arrive by itself.
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
