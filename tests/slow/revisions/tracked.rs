//! The git generators of ApplicationSets see only files that git tracks.

use std::fs;
use std::process::Command;

use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

const SET: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  goTemplate: true
  generators:
  - git: {repoURL: 'https://example.com/a.git', directories: [{path: 'apps/*'}]}
  template:
    metadata: {name: '{{.path.basename}}'}
    spec: {project: a, source: {repoURL: 'https://example.com/a.git', path: '{{.path.path}}'}}
";

#[test]
fn a_git_generator_sees_the_files_that_git_tracks() {
    let scratch = Scratch::new();
    let root = scratch.source();
    scratch.write("argocd/set.yaml", SET);
    for name in ["tracked", "removed", "sparse"] {
        scratch.write(&format!("apps/{name}/a.yaml"), "kind: A\n");
    }
    scratch.write(".gitignore", "*.log\n");
    commit(&root);
    scratch.write("apps/untracked/a.yaml", "kind: A\n");
    scratch.write("apps/ignored/a.log", "kind: A\n");
    scratch.write("apps/added/a.yaml", "kind: A\n");
    for arguments in [&["add", "apps/added"][..], &["update-index", "--skip-worktree", "apps/sparse/a.yaml"]] {
        assert!(Command::new("git").arg("-C").arg(&root).args(arguments).status().unwrap().success());
    }
    for gone in ["removed", "sparse"] {
        fs::remove_dir_all(root.join("apps").join(gone)).unwrap();
    }
    let mut command = program::program(&root);
    command.args(["check", ".", "--all", "--repository-url", "https://example.com/a.git", "--format", "json"]);
    command.env("PATH", switches::path());
    let told = program::run(command, b"");
    let json: serde_json::Value = serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr));
    let names = |field: &str, key: &str| -> Vec<String> {
        let found = json[field].as_array().into_iter().flatten().filter_map(|one| one[key].as_str());
        found.map(ToOwned::to_owned).collect()
    };
    assert_eq!(names("sources", "application"), ["added", "tracked"], "{json:#}");
    assert!(json["skipped"].to_string().contains("no directory `apps/sparse`"), "{json:#}");
}
