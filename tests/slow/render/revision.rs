//! `--base REV` with a chart and with a kustomization: both versions are rendered, and nothing is checked out into
//! the user's directory.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::fake::World;
use crate::support::program::{Output, run};
use crate::support::scratch::commit;
use crate::support::switches;

/// A fake tool that prints the manifest in its directory, logs the files that it sees there, and writes a file next
/// to the manifest.
const FROM_THE_DIRECTORY: &str = "case \"$1\" in build) dir=$2 ;; *) dir=. ;; esac
{ pwd; echo \"$dir\"; cd \"$dir\"; /bin/ls -a . ..; } >>\"${0%/*}/../seen\"
case \"$1\" in template|build) /bin/cat \"$dir/job.yaml\" ;; edit) echo '# edited' >>kustomization.yaml ;; esac";

fn job(image: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
         containers:\n      - name: migrate\n        image: {image}\n"
    )
}

/// A repository with a chart and a kustomization in one commit, and a newer image in the working tree.
fn world() -> World {
    let files = [
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n".to_owned()),
        ("charts/shop/job.yaml", job("shop:1.4.1")),
        ("apps/shop/kustomization.yaml", "resources: [job.yaml]\n".to_owned()),
        ("apps/shop/job.yaml", job("shop:1.4.1")),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text)).into(), false);
    world.real("git", &git());
    for tool in ["helm", "kustomize"] {
        world.tool(tool, FROM_THE_DIRECTORY);
    }
    commit(&world.root());
    for dir in ["charts/shop", "apps/shop"] {
        world.write(&format!("{dir}/job.yaml"), &job("shop:1.4.2"));
    }
    world
}

fn git() -> PathBuf {
    std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|git| git.exists()).unwrap()
}

fn program(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command("", &[].into());
    command.args(arguments);
    run(command, b"")
}

/// The log of the tools, without paths of this run.
fn seen(world: &World) -> String {
    world.without_paths(&fs::read_to_string(world.whole().join("seen")).unwrap_or_default())
}

#[test]
fn both_versions_are_rendered() {
    for dir in ["charts/shop", "apps/shop"] {
        let world = world();
        let before = world.snapshot();
        let told = program(&world, &["preview", "--plugin", dir, "--base", "HEAD"]);
        assert_eq!((told.stderr.as_str(), told.status), ("", Some(0)));
        assert!(told.text().starts_with("1 Job runs again.\n"), "{}", told.text());
        assert!(told.text().contains("image `shop`: `1.4.1` → `1.4.2`"), "{}", told.text());
        assert!(before == world.snapshot() && world.leftovers().is_empty(), "{dir}");
        let told = program(&world, &["check", "--plugin", dir, "--base", "HEAD"]);
        assert_eq!((told.text().as_str(), told.status), ("no new findings\n", Some(0)), "{}", told.stderr);
    }
}

#[test]
fn the_tools_see_the_files_of_the_revision_and_write_into_a_copy_of_them() {
    let world = world();
    fs::remove_dir_all(world.root().join("charts")).unwrap();
    world.write("apps/new.yaml", "");
    let before = world.snapshot();
    let told =
        program(&world, &["preview", "--plugin", "apps/shop", "--base", "HEAD", "--kustomize", "namePrefix: x-"]);
    assert_eq!((told.stderr.as_str(), told.status), ("", Some(0)));
    assert!(before == world.snapshot() && world.leftovers().is_empty());
    assert_eq!(
        world.calls(),
        "PRIVATE/repository/apps/shop$ kustomize edit set nameprefix -- x-\n\
         PRIVATE/repository$ kustomize build PRIVATE/repository/apps/shop\n\
         PRIVATE/repository$ kustomize build PRIVATE/places\n\
         PRIVATE/repository/apps/shop$ kustomize edit set nameprefix -- x-\n\
         PRIVATE/repository$ kustomize build PRIVATE/repository/apps/shop\n"
    );
    let of_the_base = seen(&world).split("PRIVATE/repository/apps/shop\n").last().unwrap().to_owned();
    assert!(!of_the_base.contains("new.yaml") && of_the_base.contains("kustomization.yaml"), "{of_the_base}");
}

#[test]
fn several_sources_are_rendered_from_one_copy_of_the_revision() {
    let world = world();
    let before = world.snapshot();
    let told = program(&world, &["preview", "--plugin", ".", "--base", "HEAD"]);
    assert_eq!((told.stderr.as_str(), told.status), ("", Some(0)));
    let (one, other) = ("\napps/shop and 1 more (kustomize)  starts", "  the same in `charts/shop`\n");
    assert!(told.text().contains(one) && told.text().contains(other), "{}", told.text());
    assert!(before == world.snapshot() && world.leftovers().is_empty());
    let dirs: BTreeSet<String> = fs::read_to_string(world.whole().join("seen"))
        .unwrap()
        .lines()
        .filter_map(|line| Some(line.split_once("/argocd-jobs-")?.1.split_once("/revision")?.0.to_owned()))
        .collect();
    assert_eq!(dirs.len(), 1, "{dirs:?}");
}

#[test]
fn each_version_has_its_own_config_file_and_the_base_can_lack_the_directory() {
    let world = world();
    world.write("apps/shop/.argocd-jobs.yaml", "strategy: keep\n");
    let told = program(&world, &["preview", "--plugin", "apps/shop", "--base", "HEAD"]);
    assert!(told.text().contains("is new") || told.text().contains("migrate"), "{}{}", told.text(), told.stderr);
    fs::rename(world.root().join("apps"), world.root().join("new")).unwrap();
    let told = program(&world, &["preview", "--plugin", "new/shop", "--base", "HEAD"]);
    assert_eq!(told.status, Some(0), "{}", told.stderr);
    assert!(told.text().starts_with("1 new Job runs.\n"), "{}", told.text());
    let told = program(&world, &["preview", "--plugin", "new/shop", "--base", "HEAD", "--kustomize", "namePrefix: x-"]);
    assert_eq!(told.status, Some(0), "{}", told.stderr);
}

#[test]
fn an_error_of_the_base_says_that_it_is_about_the_base() {
    let world = world();
    world.tool("kustomize", "/bin/grep -q 1.4.1 \"$2/job.yaml\" && { echo \"Error: bad $2/job.yaml\" >&2; exit 1; }; /bin/cat \"$2/job.yaml\"");
    let told = program(&world, &["preview", "--plugin", "apps/shop", "--base", "HEAD"]);
    for wanted in [
        "not compared",
        "`kustomize build` failed: bad apps/shop/job.yaml",
        "the error is in `HEAD`, the version to compare with",
    ] {
        assert!(told.stderr.contains(wanted), "{}", told.stderr);
    }
    assert_eq!(told.status, Some(0), "{}", told.text());
    assert!(world.leftovers().is_empty());
}

#[test]
fn a_link_below_the_directory_that_leads_out_is_refused_and_one_beside_it_is_not_made() {
    let world = world();
    fs::create_dir_all(world.outside()).unwrap();
    fs::write(world.outside().join("secret"), "secret").unwrap();
    symlink("../../../outside/secret", world.root().join("charts/shop/secret")).unwrap();
    commit(&world.root());
    fs::remove_file(world.root().join("charts/shop/secret")).unwrap();
    let told = program(&world, &["preview", "--plugin", "charts/shop", "--base", "HEAD"]);
    assert!(told.stderr.contains("charts/shop/secret: this symlink leads out of the repository"), "{}", told.stderr);
    assert!(told.stderr.contains("the error is in `HEAD`, the version to compare with"), "{}", told.stderr);
    let told = program(&world, &["preview", "--plugin", "apps/shop", "--base", "HEAD"]);
    assert_eq!((told.stderr.as_str(), told.status), ("", Some(0)));
    assert!(world.leftovers().is_empty());
}

#[test]
fn no_tool_is_taken_from_the_repository_that_is_compared() {
    let world = world();
    fs::create_dir_all(world.root().join("bin")).unwrap();
    fs::rename(world.tools().join("kustomize"), world.root().join("bin/kustomize")).unwrap();
    let path = std::env::join_paths([world.root().join("bin"), world.tools()]).unwrap();
    let mut command = world.command("", &[].into());
    command.current_dir(world.whole()).env("PATH", path);
    command.args(["preview", "--plugin", world.root().join("apps/shop").to_str().unwrap(), "--base", "rev:HEAD"]);
    let told = run(command, b"");
    assert!(told.stderr.contains("there is no `kustomize` on PATH"), "{}", told.stderr);
}

#[test]
fn real_tools_render_both_versions() {
    for (tool, dir) in [("helm", "charts/shop"), ("kustomize", "apps/shop")] {
        let world = world();
        let Some(program_path) = switches::tool(tool) else { return };
        world.real(tool, Path::new(&program_path));
        if tool == "helm" {
            world.write("charts/shop/templates/job.yaml", &job("shop:{{ .Values.tag }}"));
            world.write("charts/shop/values.yaml", "tag: \"1\"\n");
            commit(&world.root());
            world.write("charts/shop/values.yaml", "tag: \"2\"\n");
        }
        let before = world.snapshot();
        let told = program(&world, &["preview", "--plugin", dir, "--base", "HEAD"]);
        assert_eq!((told.stderr.as_str(), told.status), ("", Some(0)));
        assert!(told.text().contains("Starts on merge if auto-sync is on."), "{}", told.text());
        assert!(before == world.snapshot() && world.leftovers().is_empty());
    }
}
