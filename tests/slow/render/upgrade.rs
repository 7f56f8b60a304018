//! `upgrade`, and the warning of the sidecar: a helm for each version of Argo CD.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::fake::World;
use crate::support::program::{Output, run};

const CHART: [(&str, &str); 2] = [
    ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
    (
        "quiet/job.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: quiet}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n",
    ),
];

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: IMAGE}]}}}\n";
const BUDGET: &str =
    "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: shop}\nspec: {maxUnavailable: 1NULL}\n";

fn world() -> World {
    World::new(&CHART.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false)
}

fn at_root(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments);
    run(command, b"")
}

/// A script that prints a version, and a manifest with another image and with a null, or not.
fn helm(version: &str, image: &str, null: &str) -> String {
    let text = format!("{JOB}{BUDGET}").replace("IMAGE", image).replace("NULL", null);
    format!("case \"$1\" in version) echo v{version} ;; template) /bin/cat <<'END'\n{text}END\n;; esac")
}

/// The helm of the old version, outside of the repository, besides the helm on PATH.
fn old_helm(world: &World, script: &str) -> PathBuf {
    let new = world.tools().join("helm");
    let kept = fs::read(&new).unwrap();
    world.tool("helm", script);
    let old = world.whole().join("old-helm");
    fs::rename(&new, &old).unwrap();
    fs::write(&new, kept).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    old
}

fn upgrade(world: &World, old: &Path, more: &[&str]) -> Output {
    let old = old.to_str().unwrap();
    let arguments = ["upgrade", ".", "--plugin", "--from", "3.4", "--from-helm", old];
    at_root(world, &[&arguments[..], more].concat())
}

#[test]
fn each_version_is_rendered_with_its_helm() {
    let world = world();
    world.tool("helm", &helm("4.3.1", "a:2", ""));
    let old = old_helm(&world, &helm("3.19.4", "a:1", ", minAvailable: null"));
    let output = upgrade(&world, &old, &["--argocd-version", "3.6"]);
    let text = output.text();
    assert!(
        text.starts_with(
            "Argo CD 3.4 → 3.6\n`shop` runs 1 Job.\n\nshop (helm)  starts after the upgrade if auto-sync is on\n"
        ),
        "{text}"
    );
    assert!(text.contains("migrate  runs again, as migrate-"), "{text}");
    assert!(text.contains("image `a`: `1` → `2`"), "{text}");
    assert!(!text.contains("PodDisruptionBudget"), "{text}");
    assert!(text.contains("\nnothing new in 1 source with Jobs"), "{text}");
    assert_eq!(output.stderr, "");
}

#[test]
fn nulls_alone_are_no_change_and_a_wrong_helm_is_told() {
    let world = world();
    world.tool("helm", &helm("4.2.1", "a:1", ""));
    let old = old_helm(&world, &helm("3.18.4", "a:1", ", minAvailable: null"));
    let output = upgrade(&world, &old, &[]);
    let text = output.text();
    assert!(text.starts_with("Argo CD 3.4 → 3.6\nNo source changes.\n"), "{text}");
    let [first, second] = [
        "note: helm 3.18.4 is not that of Argo CD 3.4, which has 3.19.4",
        "note: helm 4.2.1 is not that of Argo CD 3.6, which has 4.3.1",
    ];
    assert!(output.stderr.contains(first) && output.stderr.contains(second), "{}", output.stderr);
}

#[test]
fn a_side_that_cannot_be_rendered_is_not_compared() {
    let world = world();
    world.tool("helm", &helm("4.3.1", "a:1", ""));
    let old = old_helm(
        &world,
        "case \"$1\" in version) echo v3.19.4 ;; *) echo 'Error: no such function' >&2; exit 1 ;; esac",
    );
    let text = upgrade(&world, &old, &[]).text();
    assert!(
        text.starts_with("Argo CD 3.4 → 3.6\nNo checked source changes.\n\n`shop` was not checked and may change.\n"),
        "{text}"
    );
    assert!(text.contains("not checked: with Argo CD 3.4: `helm template` failed"), "{text}");
    assert!(text.contains("no such function"), "{text}");
    let alone =
        at_root(&world, &["upgrade", "shop", "--plugin", "--from", "3.4", "--from-helm", old.to_str().unwrap()]);
    assert_eq!(alone.status, Some(2), "{}", alone.stderr);
    assert!(alone.stderr.starts_with("not compared: with Argo CD 3.4: "), "{}", alone.stderr);
    assert!(upgrade(&world, &old, &["--require-coverage"]).status == Some(1));
}

#[test]
fn a_chart_that_the_new_helm_cannot_render_is_an_error() {
    let world = world();
    world.tool("helm", "case \"$1\" in version) echo v4.3.1 ;; *) echo 'Error: no such function' >&2; exit 1 ;; esac");
    let old = old_helm(&world, &helm("3.19.4", "a:1", ""));
    let output = upgrade(&world, &old, &["--argocd-version", "3.6"]);
    assert!(
        output.text().starts_with("Argo CD 3.4 → 3.6\nArgo CD can no longer render `shop`.\n"),
        "{}",
        output.text()
    );
    assert_eq!(output.status, Some(1), "{}", output.stderr);
}

#[test]
fn a_helm_of_the_repository_is_never_started() {
    let world = world();
    world.tool("helm", &helm("4.3.1", "a:1", ""));
    let old = old_helm(&world, "echo started >&2");
    let inside = world.root().join("helm");
    fs::rename(&old, &inside).unwrap();
    let output = upgrade(&world, &inside, &[]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains("is in the repository that is read, and is not started"), "{}", output.stderr);
    let link = world.whole().join("link");
    symlink(&inside, &link).unwrap();
    assert!(upgrade(&world, &link, &[]).stderr.contains("is in the repository"), "a link");
    assert!(upgrade(&world, &world.root().join("missing"), &[]).stderr.contains("cannot be read"), "a missing file");
    assert!(
        upgrade(&world, &world.root().join("quiet/job.yaml"), &[]).stderr.contains("is not a program"),
        "a manifest"
    );
}

#[test]
fn the_sidecar_warns_of_a_helm_that_argo_cd_does_not_ship() {
    // A program in the repository of the directory for temporary files is not started.
    let world = World::without_git(&BTreeMap::new(), false);
    world.tool("helm", &helm("4.3.1", "a:1", ""));
    let sidecar = |version: Option<&str>| {
        let told = version.map(|version| ("ARGOCD_JOBS_ARGOCD_VERSION".to_owned(), version.to_owned()));
        let mut command = world.command("", &told.into_iter().collect());
        command.args(["sidecar", "/bin/true"]);
        let output = run(command, b"");
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        output.stderr.lines().filter(|line| line.contains("warning: helm")).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let [warning] = &sidecar(Some("3.4"))[..] else { panic!("no warning, or several") };
    assert!(warning.contains("helm 4.3.1 is not that of Argo CD 3.4, which has 3.19.4"), "{warning}");
    for fitting in [Some("3.6"), Some("3.6.0"), Some("3.9"), Some("nonsense"), None] {
        assert_eq!(sidecar(fitting), [""; 0], "{fitting:?}");
    }
}
