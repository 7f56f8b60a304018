//! What an annotation leaves out of what kustomizations and charts read.

use kube_jobs::argocd;
use rewrite::settings::{ApplicationSettings, Output};
use scratch::Scratch;

use super::*;
use crate::applications::{Checkout, read};

const URL: &str = "https://git.example.com/shop.git";

/// The settings of a version of Argo CD.
fn settings(source: &ApplicationSource, version: &str) -> ApplicationSettings {
    let (helm, kustomize) = source.native.as_ref().unwrap().as_ref().unwrap().rendering();
    let argocd_version = argocd::Version::parse(version).unwrap();
    let output = Output { argocd_version, ..Output::default() };
    ApplicationSettings { helm, kustomize, output, ..ApplicationSettings::default() }
}

/// What the annotation leaves out, for each source of an Application.
fn left_out(scratch: &Scratch, annotation: &str, sources: &str, version: &str) -> Vec<Option<Uncovered>> {
    let root = system::canonical(&scratch.0).unwrap();
    let checkout = Checkout { root: root.clone(), repository_urls: vec![URL.to_owned()], ..Checkout::default() };
    let sources = sources.replace("@url", URL);
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop\n  annotations:\n    \
         argocd.argoproj.io/manifest-generate-paths: '{annotation}'\nspec:\n  destination: {{namespace: shop}}\n  {sources}\n"
    );
    let declared = read(&[("app.yaml".into(), text)], &checkout);
    assert!(declared.skipped.is_empty(), "{:?}", declared.skipped);
    let steps = Steps::new(MAX_STEPS);
    let of = |source: &ApplicationSource| {
        let version = Version { settings: settings(source, version), ..Version::default() };
        uncovered(source, &version, &root, &steps)
    };
    declared.sources.iter().map(of).collect()
}

/// The paths that are left out of the only source, and a check that what is wanted leaves out nothing.
fn paths(scratch: &Scratch, annotation: &str, source: &str) -> Vec<String> {
    let source = format!("source: {{repoURL: @url, {source}}}");
    let found = left_out(scratch, annotation, &source, "3.6");
    let Some(Uncovered { paths, wanted, at }) = &found[0] else { return Vec::new() };
    assert_eq!(at.as_ref().map(ToString::to_string).as_deref(), Some("app.yaml:6:49"));
    assert_eq!(left_out(scratch, wanted, &source, "3.6"), [None], "{wanted}");
    paths.clone()
}

/// Kustomizations that name each other, and files of each other.
fn kustomizations() -> Scratch {
    let prod = "resources: [../base, https://git.example.com/x//y, missing.yaml]\ncomponents: [../parts/log]\npatches: [{path: own.yaml}, \
                {path: ../patches/a.yaml}, {patch: \"a: b\\nc: d\"}]\nconfigMapGenerator: [{name: a, files: [key=../files/key.txt]}]\n";
    Scratch::new()
        .file("apps/prod/kustomization.yaml", prod)
        .file("apps/prod/own.yaml", "")
        .file("apps/prod/unused/kustomization.yaml", "resources: [../../unused]\n")
        .file("apps/unused/kustomization.yaml", "")
        .file("apps/base/kustomization.yaml", "resources: [job.yaml, ../deep/er]\n")
        .file("apps/base/job.yaml", "")
        .file("apps/base/other.yaml", "")
        .file("apps/deep/er/kustomization.yml", "resources: [../../base]\n")
        .file("apps/parts/log/kustomization.yaml", "kind: Component\n")
        .file("apps/patches/a.yaml", "")
        .file("apps/patches/set.yaml", "")
        .file("apps/files/key.txt", "")
}

#[test]
fn what_kustomizations_name_is_read() {
    let scratch = kustomizations();
    let all = ["../base", "../deep/er", "../files/key.txt", "../parts/log", "../patches/a.yaml"];
    for (annotation, wanted) in [
        (".", &all[..]),
        ("./kustomization.yaml;./own.yaml", &all),
        (".;../base", &all[1..]),
        (".;../deep;/apps/base/;../p*/*", &["../files/key.txt", "../parts/log"]),
        ("/apps/base;/apps/deep;../parts;../patches;../files", &["."]),
        (".;../*/*;../*/*/*", &[]),
        ("..", &[]),
        ("/", &[]),
        ("/apps", &[]),
        ("", &[]),
        (";", &[]),
    ] {
        assert_eq!(paths(&scratch, annotation, "path: apps/prod"), wanted, "{annotation}");
    }
    let block = "path: apps/prod, kustomize: {patches: [{path: ../patches/set.yaml}]}";
    assert_eq!(
        paths(&scratch, "/apps/prod;/apps/base;../deep;../files;../parts;../patches/a.yaml", block),
        ["../patches/set.yaml"]
    );
}

#[test]
fn value_files_and_dependencies_of_charts_are_read() {
    let chart = "name: shop\ndependencies: [{name: lib, repository: file://../lib}, {name: extra, repository: file://../extra, condition: a.b}, \
                 {name: packed, repository: file://../packed}, {name: far, repository: https://charts.example.com}]\n";
    let scratch = Scratch::new()
        .file("charts/shop/Chart.yaml", chart)
        .file("charts/shop/templates/job.yaml", "")
        .file("charts/shop/charts/packed-1.0.0.tgz", "")
        .file("charts/lib/Chart.yaml", "name: lib\n")
        .file("charts/extra/Chart.yaml", "name: extra\n")
        .file("charts/packed/Chart.yaml", "name: packed\n")
        .file("values/prod.yaml", "")
        .file("values/all.yaml", "")
        .file("values/key.txt", "");
    let helm = "path: charts/shop, helm: {ignoreMissingValueFiles: true, valueFiles: [/values/prod.yaml, ../../values/all.yaml, \
                ../../values/none.yaml, ../../values/$ARGOCD_APP_NAME.yaml, https://example.com/a.yaml], fileParameters: [{name: a, path: \
                /values/key.txt}]}";
    let values = ["../../values/all.yaml", "../../values/key.txt", "../../values/prod.yaml"];
    for (annotation, wanted) in [
        (".", &["../lib", values[0], values[1], values[2]][..]),
        (".;../lib", &values),
        ("..;/values/all.yaml;/values/*.txt", &["../../values/prod.yaml"]),
        ("./*;../lib;/values", &["."]),
        (".;../lib;/values", &[]),
    ] {
        assert_eq!(paths(&scratch, annotation, helm), wanted, "{annotation}");
    }
}

#[test]
fn a_file_of_another_source_in_the_same_checkout_is_read() {
    let scratch = Scratch::new()
        .file("charts/shop/Chart.yaml", "name: shop\n")
        .file("values/prod.yaml", "")
        .file("apps/cart/kustomization.yaml", "");
    let sources = "sources: [{repoURL: @url, path: charts/shop, helm: {valueFiles: [$values/values/prod.yaml]}}, {repoURL: @url, path: apps/cart}, \
                   {repoURL: @url, ref: values}]";
    let wanted = |annotation: &str, version: &str| -> Vec<Option<String>> {
        let found = left_out(&scratch, annotation, sources, version);
        found.into_iter().map(|one| one.map(|one| one.wanted)).collect()
    };
    assert_eq!(wanted(".", "3.3"), [Some(".;../../values/prod.yaml".to_owned()), None]);
    // Each path is below each source, and the third one has the root of the repository.
    assert_eq!(wanted(".", "3.2"), [None, None]);
    assert_eq!(wanted(".;/values", "3.3"), [None, None]);
}
