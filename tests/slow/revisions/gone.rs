//! The change deletes the folder of a chart or a kustomization: the folder is rendered from the revision.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

/// A fake tool that prints a Job.
const TOOL: &str = r#"#!/bin/sh
echo "{apiVersion: batch/v1, kind: Job, metadata: {name: seed}, spec: {template: {spec: {restartPolicy: Never,
  containers: [{name: main, image: 'shop:1'}]}}}}"
"#;

#[test]
fn a_folder_that_is_deleted_is_rendered_as_the_revision_has_it() {
    let (scratch, tools) = (Scratch::new(), Scratch::new());
    for name in ["helm", "kustomize"] {
        let tool = tools.write(name, TOOL);
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::join_paths([tools.source()].into_iter().chain(std::env::split_paths(&switches::path())));
    let path = path.unwrap();
    scratch.write("deep/down/chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    scratch.write("overlay/kustomization.yaml", "resources: [a.yaml]\n");
    scratch.write("other/kustomization.yaml", "resources: [a.yaml]\n");
    commit(&scratch.source());
    let root = scratch.source();
    // For the first one, the folders above are deleted, too.
    fs::remove_dir_all(root.join("deep")).unwrap();
    fs::remove_dir_all(root.join("overlay")).unwrap();
    let mut command = program::program(&root);
    command.args(["preview", ".", "--base", "HEAD", "--format", "json"]).env("PATH", path);
    let told = program::run(command, b"");
    let json: serde_json::Value = serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr));
    let verdict = |source: &serde_json::Value| {
        let path = source["path"].as_str().unwrap_or_default().to_owned();
        (path, source["rows"][0]["outcome"].as_str().unwrap_or_default().to_owned())
    };
    let mut verdicts: Vec<(String, String)> = json["applications"].as_array().unwrap().iter().map(verdict).collect();
    verdicts.sort();
    let expected =
        [("deep/down/chart", "deleted-if-pruned"), ("other", "does-not-run"), ("overlay", "deleted-if-pruned")];
    assert_eq!(verdicts, expected.map(|(path, verdict)| (path.to_owned(), verdict.to_owned())), "{json:#}");
}
