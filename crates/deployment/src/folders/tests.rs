//! Which folders of a tree are sources of their own.

#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use system::{PathText, canonical};

use super::*;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n";
const CHART: &str = "apiVersion: v2\nname: a\nversion: 1.0.0\n";

/// A tree of files in a temporary directory, removed when the test ends.
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

    /// The result of a search, with a line for each folder.
    fn found(&self) -> String {
        self.lines(find(&self.0).unwrap())
    }

    /// The result of a search that is compared with another tree as the base.
    fn found_against(&self, base: &Self) -> String {
        let base = find(&base.0).unwrap().moved(&base.0, &self.0);
        self.lines(find(&self.0).unwrap().decided_by(base))
    }

    fn lines(&self, Found { folders, templates, other_files }: Found) -> String {
        let below = |path: &Path| path.strip_prefix(&self.0).unwrap_or(path).shown().to_string();
        let mut text = String::new();
        for Folder { dir, renderer, files, part_of, .. } in folders {
            let files: Vec<String> = files.iter().map(|file| file.shown().to_string()).collect();
            let what = renderer.map_or_else(|| files.join(" "), |renderer| format!("{renderer:?}"));
            let users = part_of.map(|users| users.iter().map(|user| below(user)).collect::<Vec<_>>().join(" "));
            let part = users.map_or_else(String::new, |users| format!(" (part of {users})"));
            let _ = writeln!(text, "{}: {what}{part}", below(&dir));
        }
        for (count, what) in [(templates, "folders of templates"), (other_files, "other files")] {
            if count > 0 {
                let _ = writeln!(text, "{count} {what}");
            }
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
fn bases_and_components_are_parts_of_others() {
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
    let wanted = "base: Kustomize (part of overlays/prod overlays/test)\nbase/jobs: mine.yaml\n\
                  base/jobs: other.yaml (part of base)\ndebug: Kustomize (part of overlays/prod)\noverlays/prod: Kustomize\n\
                  overlays/prod/patches: job.yaml (part of overlays/prod)\noverlays/test: Kustomize\nshared: Kustomize (part of base)\n\
                  unused: Kustomize (part of )\n";
    assert_eq!(tree.found(), wanted);
}

#[test]
fn a_chart_has_parts() {
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
    let wanted = "app: Helm\napp/charts/sub: Helm (part of app)\napp/charts/sub/templates: job.yaml (part of app/charts/sub app)\n\
                  app/crds: crd.yaml (part of app)\napp/examples: job.yaml\napp/templates/tests: test.yaml (part of app)\n\
                  common: Helm (part of app)\ninflated: Kustomize\ninflated/charts/mine: Helm (part of inflated)\n\
                  library: Helm (part of )\n1 folders of templates\n";
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
    let wanted = ".github: job.yaml (part of )\na: job.yaml\nc: broken.yaml\nd: list.yml\ne: job.json\n\
                  node_modules/a: job.yaml (part of )\n3 other files\n";
    assert_eq!(tree.found(), wanted);
}

#[test]
fn no_way_to_write_a_manifest_hides_it() {
    let large = format!("{JOB}#{}\n", "x".repeat(8 << 20));
    let tree = Tree::new(&[
        ("a/large.yaml", &large),
        ("b/escaped.json", r#"{"\u006bind": "Job", "api\u0056ersion": "batch/v1"}"#),
        ("b/tabs.json", "{\n\t\"kind\": \"Job\",\n\t\"apiVersion\": \"batch/v1\"\n}"),
        ("b/binary.yaml", "!!binary a2luZA==: Job\n!!binary YXBpVmVyc2lvbg==: batch/v1\n"),
        ("c/list.yaml", "kind: List\nitems: [{kind: Job, apiVersion: batch/v1}]\n"),
        ("d/job.yaml", JOB),
        ("d/main.jsonnet", "{}"),
        ("e/only.jsonnet", "{}"),
    ]);
    fs::create_dir_all(tree.0.join("f")).unwrap();
    let utf16: Vec<u8> = JOB.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(tree.0.join("f/utf16.yaml"), [&[0xff, 0xfe], utf16.as_slice()].concat()).unwrap();
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff.yaml");
    fs::write(tree.0.join("f").join(name), JOB).unwrap();
    let wanted = "a: large.yaml\nb: binary.yaml escaped.json tabs.json\nc: list.yaml\nd: job.yaml main.jsonnet\n\
                  f: utf16.yaml \u{fffd}.yaml\n";
    assert_eq!(tree.found(), wanted);
}

#[test]
fn a_change_adds_sources_and_takes_none_away() {
    let base = Tree::new(&[
        ("app/job.yaml", JOB),
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", JOB),
        ("gone/job.yaml", JOB),
        ("overlay/kustomization.yaml", "resources: [../base]\n"),
        ("plain/kustomization.yaml", "resources: [job.yaml]\n"),
        ("plain/job.yaml", JOB),
    ]);
    let tree = Tree::new(&[
        ("app/job.yaml", JOB),
        ("app/new.yaml", JOB),
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", JOB),
        ("decoy/kustomization.yaml", "resources: [../app/job.yaml, ../app/new.yaml, ../plain, ../base, ../fresh]\n"),
        ("fresh/kustomization.yaml", "resources: []\n"),
        ("overlay/kustomization.yaml", "resources: []\n"),
        ("plain/kustomization.yaml", "kind: Component\n"),
    ]);
    let wanted = "app: job.yaml new.yaml\nbase: Kustomize (part of overlay)\ndecoy: Kustomize\n\
                  fresh: Kustomize (part of decoy)\ngone: job.yaml\noverlay: Kustomize\nplain: Kustomize\n";
    assert_eq!(tree.found_against(&base), wanted);
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
fn kustomizations_in_a_circle_are_parts_of_each_other() {
    let tree =
        Tree::new(&[("a/kustomization.yaml", "resources: [../b]\n"), ("b/kustomization.yaml", "resources: [../a]\n")]);
    assert_eq!(tree.found(), "a: Kustomize (part of b)\nb: Kustomize (part of a)\n");
}

#[test]
fn only_what_is_there_is_used() {
    let many: String = (0..1000).map(|number| format!(", gone{number}")).collect();
    let kustomization = format!("resources: [./job.yaml, ../lib, ../lib/../lib, ..{many}]\n");
    let tree = Tree::new(&[("app/kustomization.yaml", &kustomization), ("app/job.yaml", JOB), ("lib/a.yaml", JOB)]);
    let listing = list(&tree.0, &tree.0).unwrap();
    let mut references = References::new(&listing);
    references.add_kustomization(&tree.0.join("app"), &kustomization);
    assert_eq!(references.count(), 2);
    assert!(["app/job.yaml", "lib"].iter().all(|path| references.users(&tree.0.join(path)).eq([tree.0.join("app")])));
}

#[test]
fn symlinks_to_one_large_file_are_as_much_as_many_large_files() {
    let tree = Tree::new(&[("large", ""), ("a/x.yaml", JOB)]);
    fs::File::create(tree.0.join("large")).unwrap().set_len(MAX_FILE).unwrap();
    for number in 0..8 {
        fs::create_dir(tree.0.join(format!("k{number}"))).unwrap();
        std::os::unix::fs::symlink("../large", tree.0.join(format!("k{number}/kustomization.yaml"))).unwrap();
        std::os::unix::fs::symlink("../large", tree.0.join(format!("k{number}/large.txt"))).unwrap();
    }
    let listed = |tree: &Tree| list(&tree.0, &canonical(&tree.0).unwrap()).map(|_| ());
    assert!(listed(&tree).is_ok());
    std::os::unix::fs::symlink("../large", tree.0.join("a/Kustomization")).unwrap();
    assert_eq!(listed(&tree).unwrap_err().to_string(), "symlinks lead to more than 64 MiB");
}
