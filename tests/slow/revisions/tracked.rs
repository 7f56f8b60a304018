//! The git generators of ApplicationSets see only files that git tracks, and a file that is out of reach here is not taken for one that Argo CD refuses.

use std::fs;
use std::path::Path;
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
    git(&root, &["add", "apps/added"]);
    git(&root, &["update-index", "--skip-worktree", "apps/sparse/a.yaml"]);
    for gone in ["removed", "sparse"] {
        fs::remove_dir_all(root.join("apps").join(gone)).unwrap();
    }
    let json = checked(&root);
    let names = |field: &str, key: &str| -> Vec<String> {
        let found = json[field].as_array().into_iter().flatten().filter_map(|one| one[key].as_str());
        found.map(ToOwned::to_owned).collect()
    };
    assert_eq!(names("sources", "application"), ["added", "tracked"], "{json:#}");
    assert!(json["skipped"].to_string().contains("no directory `apps/sparse`"), "{json:#}");
}

#[test]
fn a_file_that_is_out_of_reach_here_is_not_one_that_argo_cd_refuses() {
    let large = format!("name: shop\n# {}\n", "x".repeat(1 << 20));
    for (text, is_sparse, why) in [
        ("name: shop\n", true, "it is not in this checkout, which has only a part of the repository"),
        (large.as_str(), false, "it is larger than 1 MiB"),
    ] {
        let scratch = Scratch::new();
        let root = scratch.source();
        scratch.write(
            "argocd/set.yaml",
            SET.replace("directories: [{path: 'apps/*'}]", "files: [{path: 'config/*.yaml'}]")
                .replace("{{.path.basename}}", "{{.name}}"),
        );
        scratch.write("config/shop.yaml", text);
        commit(&root);
        if is_sparse {
            git(&root, &["update-index", "--skip-worktree", "config/shop.yaml"]);
            fs::remove_file(root.join("config/shop.yaml")).unwrap();
        }
        let skipped = checked(&root)["skipped"].to_string();
        let said = format!("the ApplicationSet is not expanded: `config/shop.yaml` of its generator `git`: {why}");
        assert!(skipped.contains(&said), "{skipped}");
        assert!(!skipped.contains("Argo CD"), "{skipped}");
    }
}

fn git(root: &Path, arguments: &[&str]) {
    assert!(Command::new("git").arg("-C").arg(root).args(arguments).status().unwrap().success());
}

/// What `check` says about the sources, as JSON.
fn checked(root: &Path) -> serde_json::Value {
    let mut command = program::program(root);
    command.args(["check", ".", "--all", "--repository-url", "https://example.com/a.git", "--format", "json"]);
    command.env("PATH", switches::path());
    let told = program::run(command, b"");
    serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr))
}
