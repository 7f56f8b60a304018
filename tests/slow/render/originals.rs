//! `check --fix` writes into the files from which a kustomization takes its objects.

use std::collections::BTreeMap;
use std::fs;

use super::fake::World;
use crate::support::program::{Output, run};
use crate::support::switches;

const JOBS: &str = "# the base
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: presync # first
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'a:1'}]
---
apiVersion: batch/v1
kind: Job
metadata:
  name: patched
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'a:1'}]
";

const PATCH: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: patched
  annotations:
    argocd.argoproj.io/hook: postsync
";

fn world() -> Option<World> {
    let kustomize = switches::tool("kustomize")?;
    let files = [
        ("base/kustomization.yaml", "resources: [jobs.yaml]\n"),
        ("base/jobs.yaml", JOBS),
        ("prod/kustomization.yaml", "resources: [../base]\nnamePrefix: prod-\npatches: [{path: patch.yaml}]\n"),
        ("prod/patch.yaml", PATCH),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    world.real("kustomize", &kustomize);
    Some(world)
}

fn check(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "prod", "--plugin=false"]).args(arguments);
    run(command, b"")
}

#[test]
fn a_value_that_a_kustomization_takes_as_it_is_is_fixed_in_its_file() {
    let Some(world) = world() else { return };
    let read = |path: &str| fs::read_to_string(world.root().join(path)).unwrap();
    let shown = check(&world, &["--diff"]);
    assert!(shown.text().starts_with("--- base/jobs.yaml\n+++ base/jobs.yaml\n"), "{}", shown.text());
    assert!(shown.text().contains("+    argocd.argoproj.io/hook: PreSync # first\n"), "{}", shown.text());
    assert!(shown.text().contains("--- prod/patch.yaml\n"), "{}", shown.text());
    assert!(shown.stderr.contains("`--fix` would fix 2 findings in 2 files"), "{}", shown.stderr);
    assert!(!shown.stderr.contains("not fixed"), "{}", shown.stderr);
    assert_eq!(read("base/jobs.yaml"), JOBS);

    let fixed = check(&world, &["--fix"]);
    assert_eq!(read("base/jobs.yaml"), JOBS.replace("presync", "PreSync"));
    assert_eq!(read("prod/patch.yaml"), PATCH.replace("postsync", "PostSync"));
    assert!(fixed.text().contains("fixed 2 findings in 2 files"), "{}", fixed.text());
    // What is left is that of the new files.
    assert!(!fixed.text().contains("error[unknown-hook]"), "{}", fixed.text());
    assert!(!fixed.stderr.contains("not fixed"), "{}", fixed.stderr);
    let again = check(&world, &["--fix"]);
    assert!(again.text().contains("nothing fixed"), "{}", again.text());
}

#[test]
fn nothing_is_written_through_a_link_that_a_kustomization_reads() {
    let Some(world) = world() else { return };
    let file = world.root().join("base/jobs.yaml");
    fs::create_dir(world.root().join("other")).unwrap();
    fs::rename(&file, world.root().join("other/jobs.yaml")).unwrap();
    std::os::unix::fs::symlink("../other/jobs.yaml", &file).unwrap();
    check(&world, &["--fix"]);
    let written = fs::read_to_string(world.root().join("other/jobs.yaml")).unwrap();
    assert_eq!(written, JOBS);
}

#[test]
fn a_fix_after_which_the_kustomization_cannot_be_built_is_taken_back() {
    let Some(world) = world() else { return };
    let path = "/metadata/annotations/argocd.argoproj.io~1hook";
    let patch = format!(r#"[{{"op": "test", "path": "{path}", "value": "presync"}}]"#);
    let text = format!(
        "resources: [../base]\npatches: [{{path: patch.yaml}}, {{target: {{kind: Job, name: migrate}}, patch: '{patch}'}}]\n"
    );
    world.write("prod/kustomization.yaml", &text);
    let output = check(&world, &["--fix"]);
    assert_eq!(output.status, Some(2), "{}", output.text());
    assert!(output.stderr.contains("so they are taken back"), "{}", output.stderr);
    for (path, text) in [("base/jobs.yaml", JOBS), ("prod/patch.yaml", PATCH)] {
        assert_eq!(fs::read_to_string(world.root().join(path)).unwrap(), text, "{path}");
    }
}
