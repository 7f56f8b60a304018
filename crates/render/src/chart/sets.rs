//! The files with values that a chart brings besides its own `values.yaml`: for tests, for environments, as examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::small_file_in;
use goyaml::Value;
use walkdir::{DirEntry, WalkDir};

use crate::KUSTOMIZATIONS;
use crate::chart::templates::Templates;

/// The maximum number of value sets of a chart that are rendered.
pub const MAX_VALUE_SETS: usize = 50;

/// The maximum size of an example that is looked into, in bytes.
const MAX_EXAMPLE: u64 = 1 << 20;

/// The maximum number of files and folders below a folder of examples that are looked at.
const MAX_EXAMPLES: usize = 1_000;

/// How deep examples can be.
const EXAMPLE_DEPTH: usize = 3;

/// The folders of values for tests: those of chart-testing (`ct.md`: `ci/*-values.yaml`).
const TESTS: &str = "ci";

/// The folders of examples.
const EXAMPLES: [&str; 2] = ["examples", "example"];

/// The value files of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueFiles {
    /// Their paths below the chart, without `values.yaml`: first those of environments, then those for tests, then the examples.
    pub files: Vec<PathBuf>,
    /// How many there are beyond [`MAX_VALUE_SETS`].
    pub more: usize,
}

/// Finds the value files of the chart in the folder `chart`, which must be absolute and without symlinks: those of [`environments`],
/// `ci/*-values.yaml`, and YAML files in `examples` and `example` that are values and no manifests. `root` is the root of its repository; nothing
/// outside of it is read. A folder that is a symlink is not searched.
pub fn value_files(chart: &Path, root: &Path) -> ValueFiles {
    let mut files: Vec<PathBuf> = environments(chart, root).into_iter().map(Into::into).collect();
    let tests = names(&chart.join(TESTS)).into_iter().filter(|name| name.ends_with("-values.yaml"));
    files.extend(tests.map(|name| Path::new(TESTS).join(name)));
    let keys = keys(chart, root);
    for folder in EXAMPLES {
        // What cannot be read counts: rendering says why.
        let are_values = |path: &PathBuf| match names_of_values(root, &chart.join(path)) {
            Ok(names) => names.iter().any(|name| keys.contains(name)),
            Err(_) => true,
        };
        files.extend(examples(chart, folder).into_iter().filter(are_values));
    }
    let more = files.len().saturating_sub(MAX_VALUE_SETS - 1);
    files.truncate(MAX_VALUE_SETS - 1);
    ValueFiles { files, more }
}

/// The names of the value files of environments next to `Chart.yaml`, sorted: `values-*.yaml`, `values.*.yaml`, `*-values.yaml`, and those of any
/// other name that set nothing but values that the chart has or that its templates ask for, such as `stage.yaml`.
pub fn environments(chart: &Path, root: &Path) -> Vec<String> {
    let is_named_so = |name: &str| {
        let is_named_so = name.starts_with("values-") || name.starts_with("values.") || name.ends_with("-values.yaml");
        name != "values.yaml" && is_named_so
    };
    let mut known: Option<BTreeSet<String>> = None;
    let mut left = MAX_EXAMPLES;
    let mut is_of_values = |name: &str| {
        // Those of helm itself, and hidden ones, such as the config file of this program.
        if name.starts_with('.') || OF_HELM.contains(&name) || left == 0 {
            return false;
        }
        left -= 1;
        let known = known.get_or_insert_with(|| {
            let asked = Templates::read(chart, root).values();
            keys(chart, root).into_iter().chain(asked).collect()
        });
        // Nothing but its content says that it has values: any other YAML can be here, and what cannot be read.
        let names = names_of_values(root, &chart.join(name)).unwrap_or_default();
        !names.is_empty() && names.iter().all(|name| known.contains(name))
    };
    let mut names = names(chart);
    names.retain(|name| is_yaml(name) && (is_named_so(name) || is_of_values(name)));
    names
}

/// The files of helm next to `Chart.yaml`.
const OF_HELM: [&str; 3] = ["Chart.yaml", "values.yaml", "requirements.yaml"];

fn is_yaml(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".yml")
}

/// The sorted names of the files in a folder; empty when it is not a folder, or a symlink.
fn names(folder: &Path) -> Vec<String> {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    let mut names: Vec<String> = files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// The YAML files in a folder of examples. What is in another chart or in a kustomization belongs to that one.
fn examples(chart: &Path, folder: &str) -> Vec<PathBuf> {
    let is_own = |entry: &DirEntry| {
        let is_of_another = |name: &str| entry.path().join(name).is_file();
        !entry.file_type().is_dir() || (!is_of_another("Chart.yaml") && !KUSTOMIZATIONS.into_iter().any(is_of_another))
    };
    let walk = WalkDir::new(chart.join(folder)).follow_root_links(false).max_depth(EXAMPLE_DEPTH).sort_by_file_name();
    let entries = walk.into_iter().filter_entry(is_own).take(MAX_EXAMPLES).flatten();
    let files = entries.filter(|entry| !entry.file_type().is_dir() && is_yaml(&entry.file_name().to_string_lossy()));
    files.filter_map(|entry| entry.path().strip_prefix(chart).ok().map(Path::to_owned)).collect()
}

/// The names at the top of the values of a chart: those of `values.yaml`, of its dependencies, and `global`.
fn keys(chart: &Path, root: &Path) -> BTreeSet<String> {
    let read = |name: &str| Value::read(&text(root, &chart.join(name)).ok()??).ok();
    let mut keys = BTreeSet::from(["global".to_owned()]);
    if let Some(Value::Map(values)) = read("values.yaml") {
        keys.extend(values.iter().map(|(key, _)| key.to_string()));
    }
    let own = read("Chart.yaml").unwrap_or(Value::Null);
    for dependency in own.items_at(&["dependencies"]) {
        keys.extend(["alias", "name"].into_iter().filter_map(|key| dependency.text_at(&[key])).map(str::to_owned));
    }
    keys
}

/// The names at the top of the values in a file; empty if it has no values.
fn names_of_values(root: &Path, file: &Path) -> std::io::Result<Vec<String>> {
    let text = text(root, file)?.unwrap_or_default();
    let is_one = text.lines().skip(1).all(|line| !line.starts_with("---"));
    let Some(Value::Map(values)) = is_one.then(|| Value::read(&text).ok()).flatten() else { return Ok(Vec::new()) };
    let has = |name: &str| values.iter().any(|(key, _)| **key == *name);
    let is_manifest = has("apiVersion") && has("kind");
    Ok(values.iter().filter(|_| !is_manifest).map(|(key, _)| key.to_string()).collect())
}

fn text(root: &Path, file: &Path) -> std::io::Result<Option<String>> {
    small_file_in(root, file.strip_prefix(root).unwrap_or(file), MAX_EXAMPLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;
    use system::{PathText, canonical};

    fn found(scratch: &Scratch) -> String {
        let root = canonical(&scratch.0).unwrap();
        let ValueFiles { files, more } = value_files(&root.join("chart"), &root);
        let names: Vec<String> = files.iter().map(|path| path.in_slashes().into_owned()).collect();
        if more == 0 { names.join(" ") } else { format!("{} and {more}", names.len()) }
    }

    #[test]
    fn value_files_are_told_from_what_else_a_chart_has() {
        let scratch = Scratch::new()
            .file("chart/Chart.yaml", "name: a\ndependencies: [{name: postgresql, alias: db}]\n")
            .file("chart/values.yaml", "replicas: 1\n")
            .file("chart/values-prod.yaml", "")
            .file("chart/values.test.yml", "")
            .file("chart/values.schema.json", "{}")
            .file("chart/ci/ha-values.yaml", "")
            .file("chart/ci/kind.yaml", "")
            .file("chart/templates/a.yaml", "{{ .Values.be.env }}{{ with $.Values.fe }}{{ end }} .Values.none")
            .file("chart/stage.yaml", "be: {env: stage}\nreplicas: 3\n")
            .file("chart/live.yml", "fe: 1\n")
            .file("chart/none.yaml", "none: 1\n")
            .file("chart/empty.yaml", "{}\n")
            .file("chart/compose.yaml", "be: {}\nservices: {}\n")
            .file("chart/job.yaml", "apiVersion: batch/v1\nkind: Job\n")
            .file("chart/.argocd-jobs.yaml", "be: 1\n")
            .file("chart/requirements.yaml", "be: 1\n")
            .file("chart/examples/own.yaml", "replicas: 2\n")
            .file("chart/examples/deep/db.yaml", "db: {}\n")
            .file("chart/examples/job.yaml", "apiVersion: batch/v1\nkind: Job\nreplicas: 1\n")
            .file("chart/examples/two.yaml", "replicas: 1\n---\nreplicas: 2\n")
            .file("chart/examples/compose.yaml", "services: {}\n")
            .file("chart/examples/other/Chart.yaml", "name: other\n")
            .file("chart/examples/other/values.yaml", "replicas: 3\n")
            .file("chart/example/list.yaml", "- replicas\n");
        assert_eq!(
            found(&scratch),
            "live.yml stage.yaml values-prod.yaml values.test.yml ci/ha-values.yaml examples/deep/db.yaml examples/own.yaml"
        );
    }

    #[test]
    fn no_folder_outside_is_listed_and_what_leads_out_is_left_to_the_rendering() {
        let scratch = Scratch::with(&["chart/Chart.yaml", "outside/a-values.yaml"])
            .link("chart/ci", "../outside")
            .link("chart/examples/out.yaml", "../../../etc/passwd")
            .link("chart/values-out.yaml", "/etc/passwd");
        assert_eq!(found(&scratch), "values-out.yaml examples/out.yaml");
    }

    #[test]
    fn there_is_a_limit() {
        let mut scratch = Scratch::with(&["chart/Chart.yaml"]);
        for number in 0..200 {
            scratch = scratch.file(&format!("chart/ci/{number}-values.yaml"), "");
        }
        assert_eq!(found(&scratch), "49 and 151");
    }
}
