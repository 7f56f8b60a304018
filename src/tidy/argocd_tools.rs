//! Tests that the Dockerfile, the tools of the tests and the documents agree with `release/argocd-tools`, the table with the versions of helm and
//! kustomize of each supported Argo CD, from which the images of a release are made.

use std::fs;
use std::path::Path;

use super::keep;
use crate::argocd::Version;

/// A line of the table: Argo CD, helm, kustomize.
type Row = [String; 3];

fn rows() -> Vec<Row> {
    let text = read("release/argocd-tools");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    rows.map(|line| words(line).try_into().unwrap_or_else(|_| panic!("{line}"))).collect()
}

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// `3.4` of `3.4.13`.
fn minor(argocd: &str) -> &str {
    argocd.rsplit_once('.').unwrap().0
}

#[test]
fn there_is_an_image_for_each_supported_argo_cd() {
    let minors: Vec<String> = rows().iter().map(|[argocd, ..]| minor(argocd).to_owned()).collect();
    assert_eq!(minors.last(), Some(&Version::NEWEST.to_string()));
    let supported = format!("Argo CD {} to {}", minors[0], Version::NEWEST);
    for file in ["README.md", "deploy/README.md"] {
        assert!(read(file).contains(&supported), "{file} does not say {supported}");
    }
    let number = |minor: &str| minor.strip_prefix("3.").and_then(|minor| minor.parse::<u32>().ok()).unwrap();
    assert!(minors.windows(2).all(|pair| number(&pair[0]) + 1 == number(&pair[1])), "{minors:?}");
}

#[test]
fn the_page_has_the_table_of_images() {
    let version = env!("CARGO_PKG_VERSION");
    let row = |[argocd, helm, kustomize]: &Row| {
        let minor = minor(argocd);
        format!("| {minor} | `{version}-argocd{minor}` | {helm} | {kustomize} |\n")
    };
    let rows: String = rows().iter().map(row).collect();
    keep("docs/moving.md", "| Argo CD | tag | Helm | kustomize |\n|---|---|---|---|\n", "\n", &rows);
}

#[test]
fn the_dockerfile_takes_the_tools_of_the_newest() {
    let [newest, ..] = rows().pop().unwrap();
    let text = read("Dockerfile");
    assert!(text.contains(&format!("\nARG ARGOCD_VERSION=v{newest}\n")), "the Dockerfile does not take {newest}");
    let built = format!("-argocd{} --target with-renderers --build-arg ARGOCD_VERSION=v{newest} .", minor(&newest));
    assert!(text.contains(&built), "the Dockerfile does not say {built}");
}

#[test]
fn the_tests_run_tools_that_an_argo_cd_ships() {
    let script = read("interop/tools/build");
    for (argument, column) in [("helm=${2:-", 1), ("kustomize=${3:-", 2)] {
        let version = script.split(argument).nth(1).and_then(|rest| rest.split('}').next()).unwrap();
        assert!(rows().iter().any(|row| row[column] == version), "no Argo CD ships {argument}{version}");
    }
}
