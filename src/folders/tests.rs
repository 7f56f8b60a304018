//! Which folders of a tree are sources of their own.

#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n";
const CHART: &str = "apiVersion: v2\nname: a\nversion: 1.0.0\n";

/// A tree, gone when the test ends.
struct Tree(PathBuf);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("argocd-jobs-folders-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let tree = Self(std::env::temp_dir().join(name));
        for (path, text) in files {
            let path = tree.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        tree
    }

    /// What is found, a line for each folder.
    fn found(&self) -> String {
        let Found { folders, passed_over, other_files } = find(&self.0).unwrap();
        let below = |path: &Path| path.strip_prefix(&self.0).unwrap_or(path).display().to_string();
        let mut text = String::new();
        for Folder { dir, renderer, files, .. } in folders {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let what = renderer.map_or_else(|| files.join(" "), |renderer| format!("{renderer:?}"));
            let _ = writeln!(text, "{}: {what}", below(&dir));
        }
        for PassedOver { dir, why } in passed_over {
            let why = match why {
                Why::UsedBy(user) => format!("used by {}", below(&user)),
                why => format!("{why:?}"),
            };
            let _ = writeln!(text, "- {}: {why}", below(&dir));
        }
        if other_files > 0 {
            let _ = writeln!(text, "{other_files} other files");
        }
        text
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn bases_and_components_are_no_sources_of_their_own() {
    let tree = Tree::new(&[
        ("base/kustomization.yaml", "resources: [job.yaml, jobs/other.yaml, ../shared]\n"),
        ("base/job.yaml", JOB),
        ("base/jobs/other.yaml", JOB),
        ("base/jobs/mine.yaml", JOB),
        ("shared/kustomization.yml", "resources: [job.yaml]\n"),
        ("shared/job.yaml", JOB),
        (
            "overlays/prod/kustomization.yaml",
            "resources: [../../base]\ncomponents: [../../debug]\npatches: [{path: patches/job.yaml}]\n",
        ),
        ("overlays/prod/patches/job.yaml", JOB),
        ("overlays/test/Kustomization", "bases: [../../base/]\npatchesStrategicMerge: [job.yaml]\n"),
        ("overlays/test/job.yaml", JOB),
        ("debug/kustomization.yaml", "kind: Component\n"),
        ("unused/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"),
    ]);
    let wanted = "base/jobs: mine.yaml\noverlays/prod: Kustomize\noverlays/test: Kustomize\n\
                  - base: used by overlays/prod\n- debug: used by overlays/prod\n- shared: used by base\n- unused: Component\n";
    assert_eq!(tree.found(), wanted);
}

#[test]
fn the_parts_of_a_chart_are_no_sources_of_their_own() {
    let tree = Tree::new(&[
        (
            "app/Chart.yaml",
            "apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies: [{name: common, version: 1.0.0, repository: file://../common}]\n",
        ),
        ("app/templates/job.yaml", "kind: Job\napiVersion: batch/v1\n{{ if .x }}\n"),
        ("app/templates/tests/test.yaml", JOB),
        ("app/crds/crd.yaml", JOB),
        ("app/charts/sub/Chart.yaml", CHART),
        ("app/charts/sub/templates/job.yaml", JOB),
        ("app/examples/job.yaml", JOB),
        ("common/Chart.yaml", CHART),
        ("library/Chart.yaml", "apiVersion: v2\nname: library\nversion: 1.0.0\ntype: library\n"),
        ("inflated/kustomization.yaml", "helmCharts: [{name: mine}]\n"),
        ("inflated/charts/mine/Chart.yaml", CHART),
        ("templates/job.yaml", "kind: Job\napiVersion: batch/v1\n{{- if .x }}\n"),
    ]);
    let wanted = "app: Helm\napp/examples: job.yaml\ninflated: Kustomize\n- common: used by app\n\
                  - inflated/charts/mine: used by inflated\n- library: Library\n- templates: Templates\n";
    assert_eq!(tree.found(), wanted);
}

#[test]
fn what_is_no_manifest_is_counted() {
    let tree = Tree::new(&[
        ("a/job.yaml", JOB),
        ("a/values.yaml", "image: a\n"),
        ("a/dashboard.json", "{\"kind\": \"dashboard\"}"),
        ("a/notes.txt", JOB),
        ("b/.pre-commit-config.yaml", "repos: []\n"),
        ("c/broken.yaml", "apiVersion: v1\nkind: Job\nmetadata: [\n"),
        ("d/list.yml", "---\n# nothing\n---\napiVersion: v1\nkind: List\nitems: []\n"),
        ("e/job.json", "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\"}"),
        (".github/job.yaml", JOB),
        ("node_modules/a/job.yaml", JOB),
    ]);
    assert_eq!(tree.found(), "a: job.yaml\nc: broken.yaml\nd: list.yml\ne: job.json\n3 other files\n");
}

#[test]
fn nothing_outside_of_the_tree_is_read() {
    let outside = Tree::new(&[("job.yaml", JOB), ("kustomization.yaml", "resources: [../a]\n")]);
    let tree = Tree::new(&[("a/kustomization.yaml", "resources: []\n"), ("b/job.yaml", JOB), (".git/HEAD", "")]);
    for (link, target) in [("b/link.yaml", "job.yaml"), ("c", ""), ("d/kustomization.yaml", "kustomization.yaml")] {
        let link = tree.0.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.0.join(target), link).unwrap();
    }
    assert_eq!(tree.found(), "a: Kustomize\nb: job.yaml\nd: Kustomize\n1 other files\n");
}

#[test]
fn a_circle_of_kustomizations_leaves_none() {
    let tree =
        Tree::new(&[("a/kustomization.yaml", "resources: [../b]\n"), ("b/kustomization.yaml", "resources: [../a]\n")]);
    assert_eq!(tree.found(), "- a: used by b\n- b: used by a\n");
}
