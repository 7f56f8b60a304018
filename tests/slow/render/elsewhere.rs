//! Sources in other repositories, with value files of this repository.

use std::collections::BTreeMap;
use std::fs;

use super::fake::World;
use crate::support::program::run;
use crate::support::scratch::commit;

/// A fake helm that prints a Job; its image is the content of the last value file.
const HELM: &str = r#"for word; do case "$before" in --values) image=$(cat "$word") ;; esac; before=$word; done
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "%s"}]}}}\n' "$image""#;

const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec:
  destination: {namespace: prod}
  sources:
  - repoURL: https://git.example.com/platform.git
    path: charts/shop
    helm: {valueFiles: [$values/envs/prod.yaml]}
  - repoURL: https://git.example.com/shop.git
    ref: values
";

/// A repository with an Application and its values; the repository with the chart is outside of it.
fn world(value_file: &str) -> World {
    let application = APPLICATION.replace("envs/prod.yaml", value_file);
    let files = [("apps/shop.yaml", application.as_str()), ("apps/README.md", ""), ("envs/prod.yaml", "shop:1")];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    let chart = world.outside().join("charts/shop");
    for folder in [chart.join("templates"), world.outside().join(".git")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(chart.join("Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n").unwrap();
    world.tool("helm", HELM);
    world
}

fn output(world: &World, arguments: &[&str]) -> (String, String) {
    let mut command = world.command("", &BTreeMap::from([("PATH".to_owned(), path(world))]));
    let repo = format!("https://git.example.com/platform.git={}", world.outside().display());
    command.args(arguments).args(["--repository-url", "https://git.example.com/shop.git", "--repo", &repo]);
    let output = run(command, b"");
    (String::from_utf8(output.stdout).unwrap(), output.stderr)
}

/// A `PATH` with the fake tools and git.
fn path(world: &World) -> String {
    format!("{}:{}", world.tools().display(), crate::support::switches::path().to_string_lossy())
}

#[test]
fn a_chart_of_another_repository_has_values_of_this_one() {
    let world = world("envs/prod.yaml");
    let (_, stderr) = output(&world, &["preview", "apps"]);
    assert_eq!(stderr, "");
    assert!(world.calls().contains("--values ROOT/envs/prod.yaml"), "{}", world.calls());
    fs::remove_dir_all(world.root().join(".git")).unwrap();
    commit(&world.root());
    world.write("envs/prod.yaml", "shop:2");
    let (text, stderr) = output(&world, &["preview", "apps", "--base", "HEAD"]);
    assert_eq!(stderr, "");
    assert!(text.contains("image `shop`: `1` → `2`"), "{text}");
}

#[test]
fn no_value_file_is_outside_of_its_repository() {
    for file in ["../outside/charts/shop/Chart.yaml", "..", ".git/config", "link"] {
        let world = world(file);
        std::os::unix::fs::symlink("../outside/charts/shop/Chart.yaml", world.root().join("link")).unwrap();
        fs::write(world.root().join(".git/config"), "").unwrap();
        let (text, stderr) = output(&world, &["check", "apps"]);
        assert!(text.contains("not checked") && !world.calls().contains("template"), "{file}: {text}{stderr}");
    }
}
