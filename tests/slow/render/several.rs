//! Renders several sources: which folders are sources, the messages about those that fail, and that nothing is
//! written.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value as Json;

use super::fake::World;
use crate::support::program::run;
use crate::support::switches;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n";

/// A fake tool that prints a Job named after its folder, and fails in one folder.
const TOOL: &str = r#"case "$1" in
template|build)
    case "$PWD $*" in *broken*) echo 'Error: it is broken' >&2; exit 1 ;; esac
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n' "${PWD##*/}" ;;
esac"#;

fn world() -> World {
    let files = [
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", JOB),
        ("overlays/prod/kustomization.yaml", "resources: [../../base]\n"),
        ("overlays/test/kustomization.yaml", "resources: [../../base]\n"),
        ("overlays/broken/kustomization.yaml", "resources: [../../base]\n"),
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("charts/shop/templates/job.yaml", "{{ if .Values.job }}\nkind: Job\n{{ end }}\n"),
        (
            "plain/job.yaml",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: plain}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n",
        ),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    world.tool("helm", TOOL);
    world.tool("kustomize", TOOL);
    world
}

fn output(world: &World, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments);
    let output = run(command, b"");
    assert_eq!(output.stderr, "");
    (String::from_utf8(output.stdout).unwrap(), output.status)
}

#[test]
fn the_sources_of_a_repository_are_rendered_each_in_its_folder() {
    let world = world();
    let (text, status) = output(&world, &["check", "--plugin", ".", "--format", "json"]);
    let report: Json = serde_json::from_str(&text).unwrap();
    let row = |row: &Json| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {} {} {}", text("path"), text("kind"), text("state"), row["jobs"], text("reason"))
    };
    let rows: Vec<String> = report["sources"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [
            "charts/shop helm checked 1 ",
            "overlays/broken kustomize not-checked null `kustomize build` failed: it is broken",
            "overlays/prod kustomize checked 1 ",
            "overlays/test kustomize checked 1 ",
            "plain directory checked 1 ",
        ]
    );
    assert_eq!(status, Some(0));
    let ids: Vec<&str> = report["findings"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert!(ids.contains(&"not-rendered"), "{ids:?}");
    assert_eq!(output(&world, &["check", "--plugin", ".", "--deny", "warning"]).1, Some(1));
    assert_eq!(fs::read_dir(world.temporary()).unwrap().count(), 0);
}

#[test]
fn the_output_is_the_same_each_time() {
    let world = world();
    for arguments in [
        &["check", "--plugin", "."][..],
        &["preview", "--plugin", "."],
        &["preview", "--plugin", ".", "--format", "json"],
    ] {
        let first = output(&world, arguments);
        assert!(first.0.contains("overlays/prod"), "{}", first.0);
        for _ in 0..5 {
            assert_eq!(output(&world, arguments), first);
        }
    }
}

#[test]
fn a_directory_that_is_a_source_is_one_source() {
    let world = world();
    let (text, _) = output(&world, &["preview", "--plugin", "overlays/prod"]);
    assert!(text.starts_with("Next sync: 1 Job runs only if new or changed"), "{text}");
    assert!(!text.contains("SOURCE"), "{text}");
}

#[test]
fn a_source_that_needs_the_network_may_still_be_rendered_by_argo_cd() {
    let world = world();
    world.write("old/overlays/remote/kustomization.yaml", "resources: [../../base]\n");
    world.write("old/base/kustomization.yaml", "resources: [job.yaml]\n");
    world.write("old/base/job.yaml", JOB);
    world.write("overlays/remote/kustomization.yaml", "resources: [https://git.example.com/base]\n");
    let fails = "Error: accumulating resources: Get \"https://git.example.com/base\": dial tcp: lookup git.example.com: permission denied";
    let script = format!(
        "for last; do :; done\nif read -r line <\"$last/kustomization.yaml\"; then case $line in *https*) printf '%s\\n' '{fails}' >&2; exit 1 ;; esac; fi\n{TOOL}"
    );
    world.tool("kustomize", &script);
    for command in ["check", "preview"] {
        let (text, status) =
            output(&world, &[command, "--plugin", "overlays/remote", "overlays/prod", "--base", "old"]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("not checked: needs the network (`--network allow`)"), "{text}");
        let warning = "warning[not-rendered]: 1 source was not checked: nothing is known about its Jobs; Argo CD may still render it\n";
        assert!(text.contains(warning) && !text.contains("error["), "{text}");
        assert!(command == "preview" || text.contains("1 of 2 sources not checked\n"), "{text}");
    }
    // It is an error when Argo CD cannot render it, either.
    world.tool(
        "kustomize",
        &script.replace("dial tcp: lookup git.example.com: permission denied", "not a kustomization"),
    );
    let (text, status) = output(&world, &["check", "--plugin", "overlays/remote", "overlays/prod", "--base", "old"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("error[not-rendered]: 1 source can no longer be read"), "{text}");
}

#[test]
fn a_base_that_does_not_exist_is_told_before_anything_is_rendered() {
    let world = world();
    for path in [".", "overlays/prod"] {
        let mut command = world.command("", &BTreeMap::new());
        command
            .args(["check", "--plugin", path, "--base", "no-such-branch"])
            .env("PATH", format!("{}:{}", world.tools().display(), switches::path().display()));
        let output = run(command, b"");
        assert_eq!(output.status, Some(2), "{path}: {}", output.stderr);
        assert_eq!(world.calls(), "", "{path}");
    }
}

#[test]
fn the_fix_of_a_rendered_manifest_is_told_with_the_file_to_change() {
    let Some(kustomize) = switches::tool("kustomize") else { return };
    let world = world();
    world.real("kustomize", &kustomize);
    world.write(
        "base/job.yaml",
        &format!("{JOB}spec: {{template: {{spec: {{containers: [{{name: a, image: a:1}}]}}}}}}\n"),
    );
    let patch = r#"[{"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": 60}]"#;
    let text = format!("resources: [../../base]\npatches: [{{target: {{kind: Job}}, patch: '{patch}'}}]\n");
    world.write("overlays/prod/kustomization.yaml", &text);
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "overlays/prod", "--fix=all", "--plugin=false"]);
    let output = run(command, b"");
    let note = "note: not fixed, because a tool renders the manifest; change base/job.yaml:";
    assert!(output.stderr.starts_with(note), "{}{}", output.stderr, output.text());
}
