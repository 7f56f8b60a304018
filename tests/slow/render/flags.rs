//! Flags for a single chart or kustomization: `--values`, `--set-value`, and `@FILE` for a pasted block.

use std::fs;
use std::path::Path;

use super::fake::World;
use crate::support::program::{Output, run};

fn world() -> World {
    let files = [
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("charts/shop/values-a.yaml", ""),
        ("env/prod-eu.yaml", ""),
        ("env/$ARGOCD_APP_NAME.yaml", ""),
        ("env/block.yaml", "valueFiles: [values-a.yaml]\nparameters:\n- {name: image.tag, value: '1.4'}\n"),
        ("env/whole.yaml", "helm:\n  valueFiles: [values-a.yaml]\n"),
        ("env/application.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {}\n"),
        ("env/kustomize.yaml", "\u{feff}namePrefix: x-\n"),
        ("apps/shop/kustomization.yaml", "resources: []\n"),
    ];
    World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false)
}

/// Runs `generate` in a directory of the repository.
fn generate(world: &World, dir: &str, arguments: &[&str]) -> Output {
    let mut command = world.command(dir, &[].into());
    command.arg("generate").args(arguments);
    run(command, b"")
}

/// The last call of a tool, in a run that must succeed.
fn called(world: &World, dir: &str, arguments: &[&str]) -> String {
    let output = generate(world, dir, arguments);
    assert_eq!((output.stderr.as_str(), output.status), ("", Some(0)), "{arguments:?}");
    world.calls().lines().last().unwrap().to_owned()
}

/// The message of a run that must be refused.
fn told(world: &World, arguments: &[&str]) -> String {
    let output = generate(world, "", arguments);
    assert_eq!(output.status, Some(2), "{arguments:?}");
    world.without_paths(&output.stderr)
}

#[test]
fn value_files_are_named_from_the_working_directory() {
    let world = world();
    let helm =
        |values: &str| format!("ROOT/charts/shop$ helm template . --name-template release-name {values}--include-crds");
    let files = |files: &[&str]| helm(&files.iter().map(|file| format!("--values {file} ")).collect::<String>());
    let (a, prod) = ("ROOT/charts/shop/values-a.yaml", "ROOT/env/prod-eu.yaml");
    for (dir, arguments, expected) in [
        ("", &["charts/shop", "--values", "charts/shop/values-a.yaml"][..], files(&[a])),
        ("", &["charts/shop", "--values", "env/prod-eu.yaml", "--values=charts/shop/values-a.yaml"], files(&[prod, a])),
        ("env", &["../charts/shop", "--values", "prod-eu.yaml"], files(&[prod])),
        ("charts/shop", &["--values", "./values-a.yaml"], files(&[a])),
        ("charts/shop", &["--values", "../shop/values-a.yaml", "--helm", "releaseName: x"], files(&[a])),
    ] {
        let expected =
            expected.replace("release-name", if arguments.contains(&"releaseName: x") { "x" } else { "release-name" });
        assert_eq!(called(&world, dir, arguments), expected, "{arguments:?}");
    }
    let absolute = world.root().join("env/prod-eu.yaml");
    assert_eq!(called(&world, "", &["charts/shop", "--values", absolute.to_str().unwrap()]), files(&[prod]));
    let url = ["charts/shop", "--values", "https://example.com/v.yaml", "--network", "allow"];
    assert_eq!(called(&world, "", &url), files(&["https://example.com/v.yaml"]));
}

#[test]
fn value_files_that_a_chart_must_not_read_are_refused() {
    let world = world();
    fs::create_dir_all(world.outside()).unwrap();
    fs::write(world.outside().join("v.yaml"), "secret").unwrap();
    std::os::unix::fs::symlink("../../outside/v.yaml", world.root().join("env/link.yaml")).unwrap();
    for (file, expected) in [
        (
            "../outside/v.yaml",
            "`--values ../outside/v.yaml`: is outside the repository\nhelp: put the file into the repository `ROOT`: ",
        ),
        (
            "values-a.yaml",
            "`--values values-a.yaml`: no such file\nhelp: paths are relative to the working directory; ",
        ),
        ("env", "`--values env`: no such file\nhelp: "),
        (
            "env/$ARGOCD_APP_NAME.yaml",
            "has a character in its path that Argo CD does not accept in the path of a value file\nhelp: rename",
        ),
        ("env/link.yaml", "leads out of the repository\nhelp: "),
    ] {
        let message = told(&world, &["charts/shop", "--values", file]);
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
    let both = told(&world, &["charts/shop", "--values", "env/block.yaml", "--helm-value-files", "a"]);
    assert!(both.contains("cannot be used together"), "{both}");
}

#[test]
fn single_values_add_up_and_keep_their_commas() {
    let world = world();
    let arguments = ["charts/shop", "--set-value", "b=1,2", "--set-value=a.b=x=y", "--set-value", "b=3,4"];
    let expected =
        "ROOT/charts/shop$ helm template . --name-template release-name --set a.b=x=y --set 'b=3\\,4' --include-crds";
    assert_eq!(called(&world, "", &arguments), expected);
    for wrong in ["a", "=a"] {
        let expected = format!("flag `--set-value`: invalid value `{wrong}`, expected `NAME=VALUE`\n");
        assert_eq!(told(&world, &["charts/shop", "--set-value", wrong]), expected);
    }
}

#[test]
fn a_pasted_block_can_be_in_a_file() {
    let world = world();
    let helm = "ROOT/charts/shop$ helm template . --name-template release-name --set image.tag=1.4 --values ROOT/charts/shop/values-a.yaml --include-crds";
    assert_eq!(called(&world, "", &["charts/shop", "--helm", "@env/block.yaml"]), helm);
    assert_eq!(called(&world, "env", &["../charts/shop", "--helm=@block.yaml"]), helm);
    called(&world, "", &["apps/shop", "--kustomize", "@env/kustomize.yaml"]);
    assert!(world.calls().contains("kustomize edit set nameprefix -- x-\n"), "{}", world.calls());
    fs::write(world.root().join("env/large.yaml"), "#".repeat(2 << 20)).unwrap();
    fs::write(world.root().join("env/latin.yaml"), b"values: \xe9\n").unwrap();
    for (file, expected) in [
        (
            "env/whole.yaml",
            "flag `--helm @env/whole.yaml`, line 1: unknown key `helm`\nhelp: write only what is inside `helm:`\n",
        ),
        (
            "env/application.yaml",
            "line 1: unknown key `apiVersion`\nhelp: write only the block: what is inside `spec.source.helm:` or ",
        ),
        (
            "env/none.yaml",
            "`--helm @env/none.yaml`: cannot be read: No such file or directory (os error 2)\nhelp: the path is relative to",
        ),
        ("env/large.yaml", "`--helm @env/large.yaml`: the file is larger than 256 KiB\n"),
        ("env/latin.yaml", "`--helm @env/latin.yaml`: the file is not UTF-8\n"),
    ] {
        let message = told(&world, &["charts/shop", "--helm", &format!("@{file}")]);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_base_has_its_own_value_file_of_the_same_path() {
    let world = world();
    let base = world.whole().join("base");
    for file in [".git/HEAD", "charts/shop/Chart.yaml", "env/prod-eu.yaml"] {
        let path = base.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let mut command = world.command("", &[].into());
    let other = base.join("charts/shop");
    command.args(["preview", "charts/shop", "--values", "env/prod-eu.yaml", "--base", other.to_str().unwrap()]);
    let output = run(command, b"");
    assert_eq!((output.stderr.as_str(), output.status), ("", Some(0)));
    let read = fs::canonicalize(Path::new(&base)).unwrap().join("env/prod-eu.yaml");
    assert!(world.calls().contains(read.to_str().unwrap()), "{}", world.calls());
}
