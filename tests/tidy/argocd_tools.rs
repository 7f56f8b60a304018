//! Tests that the Dockerfile, the tools of the tests, `release/argocd-tools`, from which the images of a release are made, and the documents agree
//! with the table of what each Argo CD ships.

use std::fs;

use kube_jobs::argocd::{SHIPPED, Shipped, Version};

use super::{keep, root};

/// The newest release of a minor version: Argo CD, helm, kustomize.
type Row = [String; 3];

fn rows() -> Vec<Row> {
    let is_newest = |row: &&Shipped| {
        SHIPPED
            .iter()
            .all(|other| other.last <= row.last || minor(&other.last.to_string()) != minor(&row.last.to_string()))
    };
    let row = |row: &Shipped| [row.last.to_string(), row.helm.to_owned(), row.kustomize.to_owned()];
    SHIPPED.iter().filter(is_newest).map(row).collect()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
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
    keep("docs/adopt.md", "| Argo CD | tag | Helm | kustomize |\n|---|---|---|---|\n", "\n", &rows);
}

#[test]
fn the_images_of_a_release_are_made_of_the_table() {
    let row = |[argocd, helm, kustomize]: &Row| format!("{argocd:<9}  {helm:<6}  {kustomize}\n");
    let rows: String = rows().iter().map(row).collect();
    keep("release/argocd-tools", "# Argo CD  helm    kustomize\n", "\0", &rows);
}

#[test]
fn the_page_of_versions_has_the_tools_of_each_release() {
    let releases = |row: &Shipped| match (row.first, row.last) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    };
    let nulls = |row: &Shipped| match row.keeps_nulls {
        true => "stays; over a value of a dependency it removes that value",
        false => "is left out; over a value of a dependency it has no effect",
    };
    let row = |row: &Shipped| format!("| {} | {} | {} | {} |\n", releases(row), row.helm, row.kustomize, nulls(row));
    let rows: String = SHIPPED.iter().map(row).collect();
    keep(
        "docs/versions.md",
        "| Argo CD | Helm | kustomize | a null in a chart's `values.yaml` |\n|---|---|---|---|\n",
        "\n",
        &rows,
    );
}

/// The files next to the chart are what each helm printed: `interop/nulls_test.go` runs that of `TOOLS`.
#[test]
fn nulls_are_kept_where_helm_printed_them() {
    for row in SHIPPED {
        let printed = read(&format!("testdata/render/nulls/helm-{}.yaml", row.helm));
        assert_eq!(printed.contains(r#""minAvailable":null"#), row.keeps_nulls, "{}", row.helm);
        assert_eq!(!printed.contains(r#""minAvailable":2"#), row.keeps_nulls, "{}", row.helm);
    }
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
