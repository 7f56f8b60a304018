//! `check` about an Application whose annotation `argocd.argoproj.io/manifest-generate-paths` leaves out what helm and kustomize read.

use crate::support::program::{program, run};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

const URL: &str = "https://git.example.com/shop.git";

fn application(name: &str, annotation: &str, source: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  annotations:\n    \
         argocd.argoproj.io/manifest-generate-paths: {annotation}\nspec:\n  source: {{repoURL: {URL}, {source}}}\n  destination: {{namespace: x}}\n"
    )
}

/// A kustomization over a base, and a chart with a value file next to it. Each has a Job.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: seed}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, \
               image: 'b:1'}]}}}\n";
    scratch.write("apps/base/kustomization.yaml", "resources: [job.yaml]\n");
    scratch.write("apps/base/job.yaml", job);
    scratch.write("apps/prod/kustomization.yaml", "resources: [../base]\n");
    scratch.write("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    scratch.write("charts/shop/templates/job.yaml", job.replace("b:1", "b:{{ .Values.tag }}"));
    scratch.write("values/prod.yaml", "tag: 1\n");
    scratch
}

/// The finding and its help, each time; `None` when the tools are not installed.
fn findings(scratch: &Scratch, arguments: &[&str]) -> Option<Vec<String>> {
    let tools = switches::tool("kustomize")?.parent()?.to_owned();
    if !scratch.source().join(".git").exists() {
        commit(&scratch.source());
    }
    let path = switches::path();
    let path = std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&path))).ok()?;
    let mut command = program(&scratch.source());
    command.args(["check", ".", "--repository-url", URL]).args(arguments).env("PATH", path);
    let text = run(command, b"").text();
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.contains("[generate-paths-too-narrow]") {
            found.extend([line.to_owned(), lines.next().unwrap_or_default().to_owned()]);
        }
    }
    Some(found)
}

const CHART: &str = "path: charts/shop, helm: {valueFiles: [/values/prod.yaml]}";

#[test]
fn a_base_and_a_value_file_that_are_left_out_are_found() {
    let scratch = repository();
    scratch.write("argocd/a.yaml", application("kustomization", ".", "path: apps/prod"));
    scratch.write("argocd/b.yaml", application("chart", ".", CHART));
    scratch.write("argocd/c.yaml", application("right", ".;../base", "path: apps/prod"));
    scratch.write("argocd/d.yaml", application("right-too", ".;/values", CHART));
    let Some(found) = findings(&scratch, &[]) else { return };
    let finding = |file: &str, path: &str| {
        format!(
            "argocd/{file}.yaml:6:49: warning[generate-paths-too-narrow]: a commit that changes only `{path}` starts no sync: the source reads it, and \
             `manifest-generate-paths` of the Application leaves it out"
        )
    };
    let help = |paths: &str| format!("help: write `{paths}` in the annotation");
    assert_eq!(
        found,
        [
            finding("a", "../base"),
            help(".;../base"),
            finding("b", "../../values/prod.yaml"),
            help(".;../../values/prod.yaml"),
        ]
    );
}

#[test]
fn only_what_a_change_leaves_out_is_new() {
    let scratch = repository();
    scratch.write("argocd/a.yaml", application("old", ".", "path: apps/prod"));
    scratch.write("argocd/b.yaml", application("new", ".;/values", CHART));
    commit(&scratch.source());
    scratch.write("argocd/b.yaml", application("new", ".", CHART));
    scratch.write("apps/base/job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: other}\n");
    let Some(found) = findings(&scratch, &["--base", "HEAD"]) else { return };
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("argocd/b.yaml:6:49: "), "{found:?}");
}

#[test]
fn an_annotation_of_the_job_and_the_config_file_ignore_it() {
    let scratch = repository();
    scratch.write("argocd/a.yaml", application("kustomization", ".", "path: apps/prod"));
    scratch.write("argocd/b.yaml", application("chart", ".", CHART));
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: seed, annotations: {argocd-jobs/ignore.generate-paths-too-narrow: ok}}\n";
    scratch.write("apps/base/job.yaml", job);
    scratch.write("charts/shop/.argocd-jobs.yaml", "ignore: [generate-paths-too-narrow]\n");
    let Some(found) = findings(&scratch, &[]) else { return };
    assert_eq!(found, Vec::<String>::new());
}
