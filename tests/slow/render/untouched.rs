//! Outside of a request's tree, nothing in the user's repository changes: no byte, mode or time, whatever runs and
//! however it ends.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::fake::World;
use crate::support::program::run;
use crate::support::scratch::commit;
use crate::support::switches;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
    containers:\n      - {name: migrate, image: 'shop:1'}\n";

/// A fake helm that needs dependencies and writes them into its directory, and a fake kustomize that edits in its
/// directory.
const WRITING: &str = "fail() { echo \"Error: $1\" >&2; exit 1; }
case \"$1\" in
edit) echo '# edited' >>kustomization.yaml || fail 'cannot edit' ;;
build) /bin/cat \"$2/job.yaml\" ;;
dependency) /bin/mkdir -p charts/lib && echo x >Chart.lock || fail 'cannot build' ;;
template) /bin/grep -q dependencies Chart.yaml && ! test -e charts/lib && fail 'found in Chart.yaml, but missing in charts/ directory: lib'
    /bin/cat templates/job.yaml ;;
esac";

/// The runs: a directory, and more arguments.
const SOURCES: &[(&str, &[&str])] = &[
    ("apps/shop", &[]),
    ("apps/shop", &["--kustomize", "{namePrefix: x-, namespace: shop}", "--kustomize-images", "shop:2"]),
    (
        "apps/shop",
        &[
            "--kustomize",
            "patches: [{target: {kind: Job}, patch: '- {op: add, path: /metadata/labels, value: {a: b}}'}]",
        ],
    ),
    ("apps/shop", &["--kustomize-build-options", "--enable-helm"]),
    ("apps/broken", &["--kustomize", "namePrefix: x-"]),
    ("charts/plain", &[]),
    ("charts/plain", &["--values", "charts/plain/values.yaml", "--set-value", "a=b"]),
    ("charts/shop", &[]),
    ("charts/broken", &[]),
];

const COMMANDS: &[&[&str]] = &[
    &["generate"],
    &["preview", "--plugin"],
    &["check", "--plugin"],
    &["preview", "--plugin", "--base", "HEAD"],
    &["check", "--plugin", "--base", "HEAD"],
];

fn world() -> World {
    let dependency =
        |path: &str| format!("dependencies: [{{name: lib, version: 1.0.0, repository: 'file://{path}'}}]\n");
    let chart = |name: &str, more: String| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n{more}");
    let files = [
        ("apps/base/kustomization.yaml", "resources: [job.yaml]\n".to_owned()),
        ("apps/base/job.yaml", JOB.to_owned()),
        ("apps/shop/kustomization.yaml", "resources: [../base]\n".to_owned()),
        ("apps/shop/job.yaml", JOB.to_owned()),
        ("apps/broken/kustomization.yaml", "resources: [none.yaml]\n".to_owned()),
        ("charts/lib/Chart.yaml", chart("lib", String::new())),
        ("charts/lib/templates/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lib}\n".to_owned()),
        ("charts/plain/Chart.yaml", chart("plain", String::new())),
        ("charts/plain/values.yaml", "a: 1\n".to_owned()),
        ("charts/plain/templates/job.yaml", JOB.to_owned()),
        ("charts/shop/Chart.yaml", chart("shop", dependency("../lib"))),
        ("charts/shop/templates/job.yaml", JOB.to_owned()),
        ("charts/broken/Chart.yaml", chart("broken", dependency("../none"))),
        ("charts/broken/templates/job.yaml", JOB.to_owned()),
        ("scripts/run", "#!/bin/sh\n".to_owned()),
        ("read-only/file", "x\n".to_owned()),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text)).into(), false);
    let path = |path: &str| world.root().join(path);
    symlink("../base/job.yaml", path("apps/shop/link.yaml")).unwrap();
    fs::hard_link(path("scripts/run"), path("scripts/same")).unwrap();
    for (file, mode) in
        [("scripts/run", 0o755), ("apps/shop/kustomization.yaml", 0o444), ("charts/shop/Chart.yaml", 0o400)]
    {
        fs::set_permissions(path(file), Permissions::from_mode(mode)).unwrap();
    }
    let git = std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|git| git.exists());
    world.real("git", &git.unwrap());
    for tool in ["helm", "kustomize"] {
        world.tool(tool, WRITING);
    }
    fs::remove_dir_all(path(".git")).unwrap();
    commit(&world.root());
    fs::set_permissions(path("read-only"), Permissions::from_mode(0o555)).unwrap();
    world
}

/// Every path in the repository and in `.git`: its mode, its times except that of the last access, and its content or
/// target.
fn snapshot(world: &World) -> BTreeMap<PathBuf, String> {
    let described = walkdir::WalkDir::new(world.root()).into_iter().map(Result::unwrap).map(|entry| {
        let found = entry.metadata().unwrap();
        let content = match found.file_type() {
            kind if kind.is_file() => fs::read(entry.path()).unwrap(),
            kind if kind.is_symlink() => fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes(),
            _ => Vec::new(),
        };
        let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
        (entry.into_path(), format!("{:o} {times:?} {} {content:?}", found.mode(), found.nlink()))
    });
    described.collect()
}

/// Runs everything; returns the number of successful runs.
fn run_all(world: &World) -> usize {
    let before = snapshot(world);
    assert!(before.len() > 60, "with what git keeps: {}", before.len());
    let mut successes = 0;
    for (dir, settings) in SOURCES {
        for name in [None, Some("shop")] {
            for command in COMMANDS {
                let environment = name.map(|name| ("ARGOCD_APP_NAME".to_owned(), name.to_owned()));
                let mut program = world.command("", &environment.into_iter().collect());
                program.args(*command).arg(dir).args(*settings);
                let output = run(program, b"");
                let what = format!("{command:?} {dir} {settings:?} {name:?}");
                let is_broken = dir.ends_with("broken");
                successes += usize::from(!is_broken && output.status == Some(0));
                assert!(is_broken || output.status == Some(0), "{what}: {}", output.stderr);
                differs(&before, &snapshot(world), &what);
                assert_eq!(world.leftovers(), Vec::<PathBuf>::new(), "{what}");
            }
        }
    }
    fs::set_permissions(world.root().join("read-only"), Permissions::from_mode(0o755)).unwrap();
    successes
}

fn differs(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>, what: &str) {
    let paths = before.keys().chain(after.keys());
    let changed: Vec<&PathBuf> = paths.filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(changed.is_empty(), "{what} changed {changed:?}");
}

#[test]
fn tools_that_write_where_they_stand_change_nothing_of_the_users() {
    let world = world();
    assert_eq!(run_all(&world), 7 * 2 * COMMANDS.len());
    assert!(world.calls().contains("helm dependency build") && world.calls().contains("kustomize edit"));
}

#[test]
fn the_real_tools_change_nothing_of_the_users() {
    let world = world();
    for tool in ["helm", "kustomize"] {
        let Some(program) = switches::tool(tool) else { return };
        world.real(tool, Path::new(&program));
    }
    assert_eq!(run_all(&world), 7 * 2 * COMMANDS.len());
}

/// Fake tools that print all files of the repository that they see, relative to its root.
const LISTING: &str = "case \"$1\" in
build|template) test -e charts/lib -o \"$1\" = build || { echo 'Error: found in Chart.yaml, but missing in charts/ directory: lib' >&2; exit 1; }
    dir=$2; test \"$1\" = build || dir=$PWD; cd \"${dir%/*/*}\"; { /usr/bin/find . -type f -o -type l; } | LC_ALL=C /usr/bin/sort >\"${0%/*}/../seen\"
    printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n' ;;
dependency) /bin/mkdir -p charts/lib ;;
esac";

#[test]
fn only_what_is_needed_is_copied() {
    let world = world();
    for tool in ["helm", "kustomize"] {
        world.tool(tool, LISTING);
    }
    let seen = |arguments: &[&str]| {
        let mut program = world.command("", &[].into());
        program.arg("generate").args(arguments);
        let output = run(program, b"");
        assert_eq!((output.stderr.as_str(), output.status), ("", Some(0)), "{arguments:?}");
        fs::read_to_string(world.whole().join("seen")).unwrap().replace('\n', " ")
    };
    let apps = "./apps/base/job.yaml ./apps/base/kustomization.yaml ./apps/shop/job.yaml ./apps/shop/kustomization.yaml ./apps/shop/link.yaml ";
    let edit = ["apps/shop", "--kustomize", "namePrefix: x-"];
    assert_eq!(seen(&edit), apps);
    let with_component = ["apps/shop", "--kustomize", "{namePrefix: x-, components: [../../charts/lib]}"];
    let lib = "./charts/lib/Chart.yaml ./charts/lib/templates/cm.yaml ";
    assert_eq!(seen(&with_component), format!("{apps}{lib}"));
    let unrestricted = [&edit[..], &["--kustomize-build-options", "--load-restrictor LoadRestrictionsNone"]].concat();
    assert!(seen(&unrestricted).contains("./read-only/file ./scripts/run "));
    world.write("env/values.yaml", "");
    let shop = "./charts/shop/Chart.yaml ./charts/shop/templates/job.yaml ";
    assert_eq!(seen(&["charts/shop", "--values", "env/values.yaml"]), format!("{lib}{shop}"));
    let read = world.root().join("env/values.yaml");
    assert!(world.calls().contains(&world.without_paths(read.to_str().unwrap())), "{}", world.calls());
}
