//! A chart or a kustomization whose files are the same in the base is rendered only once.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

/// A fake tool with a different output each time: a second rendering would show a change.
const FICKLE: &str = r#"#!/bin/sh
echo "{apiVersion: batch/v1, kind: Job, metadata: {name: seed}, spec: {template: {spec: {restartPolicy: Never,
  containers: [{name: main, image: 'shop:$$'}]}}}}"
"#;

/// A repository with charts and kustomizations, and a `PATH` with the fake tools.
fn repository() -> (Scratch, Scratch, std::ffi::OsString) {
    let (scratch, tools) = (Scratch::new(), Scratch::new());
    for name in ["helm", "kustomize"] {
        let tool = tools.write(name, FICKLE);
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::join_paths([tools.source()].into_iter().chain(std::env::split_paths(&switches::path())));
    scratch.write("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    scratch.write("chart/values.yaml", "a: 1\n");
    scratch.write("env/prod.yaml", "a: 2\n");
    scratch.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    scratch.write("base/a.yaml", "kind: A\n");
    scratch.write("overlay/kustomization.yaml", "resources:\n- ../base # of all\n");
    let application = |name: &str, path: &str, more: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{source: {{repoURL: \
             'https://example.com/a.git', path: {path}{more}}}}}\n"
        )
    };
    scratch.write("argocd/chart.yaml", application("chart", "chart", ", helm: {valueFiles: [../env/prod.yaml]}"));
    scratch.write("argocd/rooted.yaml", application("rooted", "chart", ", helm: {valueFiles: [/env/prod.yaml]}"));
    scratch.write("argocd/overlay.yaml", application("overlay", "overlay", ""));
    commit(&scratch.source());
    (scratch, tools, path.unwrap())
}

/// The Applications that have changed since the last commit, according to the preview.
fn changed(scratch: &Scratch, path: &std::ffi::OsStr) -> Vec<String> {
    let mut command = program::program(&scratch.source());
    command.args(["preview", ".", "--base", "HEAD", "--repository-url", "https://example.com/a.git"]);
    command.args(["--format", "json"]).env("PATH", path);
    let told = program::run(command, b"");
    let json: serde_json::Value = serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr));
    let sources = json["applications"].as_array().unwrap();
    let is_changed = |source: &&serde_json::Value| source["rows"][0]["change"] == "changed";
    let name = |source: &serde_json::Value| source["application"].as_str().unwrap_or_default().to_owned();
    let mut names: Vec<String> = sources.iter().filter(is_changed).map(name).collect();
    names.sort();
    names
}

#[test]
fn what_has_the_same_files_is_rendered_once() {
    let (scratch, _tools, path) = repository();
    let nothing: [&str; 0] = [];
    assert_eq!(changed(&scratch, &path), nothing);
    // A name is what is decoded.
    for name in ["\"\\x2e\\x2e/base\"", "!!binary Li4vYmFzZQ=="] {
        scratch.write("overlay/kustomization.yaml", format!("resources: [{name}]\n"));
        commit(&scratch.source());
        assert_eq!(changed(&scratch, &path), nothing, "{name}");
    }
    let root = scratch.source();
    let both = ["chart", "rooted"];
    for (file, text, expected) in [
        ("README.md", "x", &nothing[..]),
        ("chart/values.yaml", "a: 2\n", &both),
        ("chart/untracked.txt", "x", &both),
        ("env/prod.yaml", "a: 3\n", &both),
        ("base/a.yaml", "kind: B\n", &["overlay"]),
        ("overlay/.argocd-jobs.yaml", "strategy: hash-name\n", &["overlay"]),
    ] {
        let before = fs::read(root.join(file)).ok();
        scratch.write(file, text);
        assert_eq!(changed(&scratch, &path), expected, "{file}");
        match before {
            Some(before) => fs::write(root.join(file), before).unwrap(),
            None => fs::remove_file(root.join(file)).unwrap(),
        }
    }
    assert_eq!(changed(&scratch, &path), nothing);
}

#[test]
fn what_may_read_more_than_is_known_is_rendered_twice() {
    let (scratch, _tools, path) = repository();
    let root = scratch.source();
    for kustomization in [
        "resources:\n- ../base of all\n",
        "resources:\n- ../base\n  of all\n",
        "resources: [../base]\ngenerators: [a.yaml]\n",
        "resources: [../gone]\n",
        "resources: [..]\n",
    ] {
        scratch.write("overlay/kustomization.yaml", kustomization);
        commit(&root);
        assert_eq!(changed(&scratch, &path), ["overlay"], "{kustomization}");
    }
    scratch.write("overlay/kustomization.yaml", "resources: [../base]\n");
    let before = fs::read_to_string(root.join("chart/Chart.yaml")).unwrap();
    scratch
        .write("chart/Chart.yaml", format!("{before}dependencies:\n- {{name: a, repository: 'https://a.example'}}\n"));
    commit(&root);
    assert_eq!(changed(&scratch, &path), ["chart", "rooted"]);
    scratch.write("chart/Chart.yaml", before);
    symlink("a.yaml", root.join("base/b.yaml")).unwrap();
    commit(&root);
    assert_eq!(changed(&scratch, &path), ["overlay"]);
}

#[test]
fn what_several_applications_render_alike_is_rendered_once() {
    let (scratch, _tools, path) = repository();
    let text = fs::read_to_string(scratch.source().join("argocd/overlay.yaml")).unwrap();
    for name in ["second", "third"] {
        scratch.write(&format!("argocd/{name}.yaml"), text.replace("name: overlay", &format!("name: {name}")));
    }
    commit(&scratch.source());
    scratch.write("base/a.yaml", "kind: B\n");
    let mut command = program::program(&scratch.source());
    command.args(["preview", ".", "--base", "HEAD", "--repository-url", "https://example.com/a.git"]);
    command.args(["--format", "json"]).env("PATH", path);
    let told = program::run(command, b"");
    let json: serde_json::Value = serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr));
    let changes = json["applications"].as_array().unwrap().iter().filter(|source| source["path"] == "overlay");
    let changes: Vec<String> = changes.map(|source| source["rows"][0]["why"].to_string()).collect();
    assert!(changes.len() == 3 && changes[0].contains("image"), "{changes:?}");
    assert!(changes.iter().all(|change| *change == changes[0]), "{changes:?}");
}
