//! An Application whose revision is a tag of its own repository.

use std::ffi::OsStr;
use std::process::Command;

use crate::support::program;
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

const URL: &str = "https://git.example.com/shop.git";

fn application(revision: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop, namespace: argocd}}\nspec:\n  project: default\n  \
         destination: {{namespace: shop}}\n  source: {{repoURL: {URL}, path: shop, targetRevision: {revision}}}\n  syncPolicy: {{automated: {{}}}}\n"
    )
}

/// The manifests of the Application, with this image in its hook.
fn write(scratch: &Scratch, image: &str) {
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: migrate, annotations: {{argocd.argoproj.io/hook: PreSync}}}}\n\
         spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: 'shop:{image}'}}]}}}}}}\n"
    );
    scratch.write("shop/job.yaml", job);
    scratch.write(
        "shop/map.yaml",
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: shop}}\ndata: {{a: '{image}'}}\n"),
    );
}

fn tag(scratch: &Scratch, name: &str) {
    commit(&scratch.source());
    let tag = Command::new("git").arg("-C").arg(scratch.source()).args(["tag", name]).status().unwrap();
    assert!(tag.success());
}

/// A repository with the tags `shop-1` and `shop-2`, and a newer commit, in which the Application is at `shop-1`.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    write(&scratch, "1");
    tag(&scratch, "shop-1");
    write(&scratch, "2");
    tag(&scratch, "shop-2");
    write(&scratch, "next");
    scratch.write("argocd/shop.yaml", application("shop-1"));
    commit(&scratch.source());
    scratch
}

fn preview(scratch: &Scratch) -> String {
    preview_with(scratch, &switches::path())
}

fn preview_with(scratch: &Scratch, path: &OsStr) -> String {
    let mut command = program::program(&scratch.source());
    command.args(["preview", ".", "--base", "HEAD", "--repository-url", URL]).env("PATH", path);
    program::run(command, b"").text()
}

#[test]
fn an_application_that_goes_from_tag_to_tag_is_compared_at_both() {
    let scratch = repository();
    scratch.write("argocd/shop.yaml", application("shop-2"));
    let text = preview(&scratch);
    assert!(text.contains("runs  at every sync; image `shop`: `1` → `2`"), "{text}");
    assert!(text.contains("image `shop`: `1` → `2`"), "{text}");
    assert!(text.contains("coverage: 1 Job in 1 Application\n"), "{text}");
    assert!(!text.contains("next"), "{text}");
}

#[test]
fn a_change_of_the_branch_does_not_reach_an_application_at_a_tag() {
    let scratch = repository();
    write(&scratch, "newer");
    let text = preview(&scratch);
    assert!(text.starts_with("No Application changes."), "{text}");
    assert!(!text.contains("newer"), "{text}");
    assert!(text.contains("`shop/job.yaml` has a changed Job that no known Application applies."), "{text}");
}

#[test]
fn an_application_that_leaves_its_tag_for_the_branch_gets_all_of_the_branch() {
    let scratch = repository();
    scratch.write("argocd/shop.yaml", application("HEAD"));
    let text = preview(&scratch);
    assert!(text.contains("image `shop`: `1` → `next`"), "{text}");
}

#[test]
fn a_revision_that_is_no_tag_here_is_not_known() {
    let scratch = repository();
    scratch.write("argocd/shop.yaml", application("shop-3"));
    let text = preview(&scratch);
    assert!(text.contains("\n`shop` changes and was not checked.\n"), "{text}");
    assert!(!text.contains("`1` → "), "{text}");
}

#[test]
fn value_files_of_another_source_are_read_at_its_tag() {
    let Some(tools) = switches::tool("helm").and_then(|helm| Some(helm.parent()?.to_owned())) else { return };
    let scratch = Scratch::new();
    scratch.write("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}\n\
               spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'shop:{{ .Values.tag }}'}]}}}\n";
    scratch.write("shop/templates/job.yaml", job);
    for (name, image) in [("shop-1", "1"), ("shop-2", "2"), ("shop-3", "next")] {
        scratch.write("values/prod.yaml", format!("tag: '{image}'\n"));
        tag(&scratch, name);
    }
    let two = |revision: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec:\n  destination: {{namespace: shop}}\n  sources:\n  \
             - {{repoURL: {URL}, path: shop, targetRevision: {revision}, helm: {{valueFiles: [$v/values/prod.yaml]}}}}\n  \
             - {{repoURL: {URL}, ref: v, targetRevision: {revision}}}\n"
        )
    };
    scratch.write("argocd/shop.yaml", two("shop-1"));
    commit(&scratch.source());
    scratch.write("argocd/shop.yaml", two("shop-2"));
    let path = std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&switches::path()))).unwrap();
    let text = preview_with(&scratch, &path);
    assert!(text.contains("image `shop`: `1` → `2`"), "{text}");
}

#[test]
fn no_message_has_the_path_of_the_copy_of_a_tag() {
    let broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: [\n";
    for (file, text) in [
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/kustomization.yaml", "resources: [../gone]\n"),
        ("shop/job.yaml", broken),
    ] {
        let scratch = Scratch::new();
        scratch.write(file, text);
        tag(&scratch, "shop-1");
        scratch.write("shop/other.yaml", "a: 1\n");
        scratch.write("argocd/shop.yaml", application("HEAD"));
        commit(&scratch.source());
        scratch.write("argocd/shop.yaml", application("shop-1"));
        let tools = [switches::tool("helm"), switches::tool("kustomize")].into_iter().flatten();
        let tools = tools.filter_map(|tool| Some(tool.parent()?.to_owned()));
        let path: Vec<_> = tools.chain(std::env::split_paths(&switches::path())).collect();
        for path in [switches::path(), std::env::join_paths(path).unwrap()] {
            for arguments in [&["preview", "."][..], &["preview", "--application", "argocd/shop.yaml"]] {
                let mut command = program::program(&scratch.source());
                command.args(arguments).args(["--base", "HEAD", "--repository-url", URL]).env("PATH", &path);
                let output = program::run(command, b"");
                let text = output.stderr.clone() + &output.text();
                assert!(!text.contains("revision/") && !text.contains("argocd-jobs-"), "{text}");
            }
        }
    }
}
