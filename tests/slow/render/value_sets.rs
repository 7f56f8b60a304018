//! `check` of a chart renders each of its value sets, and reports once what they have in common.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::fake::World;
use crate::support::program::{self, run};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

/// Prints a Job, whose hook is misspelt; with `ha` also another one; fails with `broken`.
const HELM: &str = r#"
job() { printf -- '---\n# Source: shop/templates/%s.yaml\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, annotations: {argocd.argoproj.io/hook: %s}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n' "$1" "$1" "$2"; }
case "$*" in
*/broken*|*-broken*) echo 'Error: execution error at (shop/templates/a.yaml:1:4): image.tag is required' >&2; exit 1 ;;
*/ha*) job first presync; job second postsync ;;
*) job first presync ;;
esac"#;

fn world(files: &[(&str, &str)]) -> World {
    let chart = [
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", "a: 1\n"),
        ("shop/templates/first.yaml", "kind: Job\n"),
        ("shop/templates/second.yaml", "kind: Job\n"),
    ];
    let files = chart.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let world = World::new(&files.collect(), false);
    world.tool("helm", HELM);
    world
}

fn output(world: &World, arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments);
    let output = run(command, b"");
    (String::from_utf8(output.stdout).unwrap(), output.stderr, output.status)
}

/// The findings of `unknown-hook` with their sets, and the rows with theirs.
fn told(json: &str) -> (Vec<String>, Vec<String>) {
    let report: Json = serde_json::from_str(json).unwrap();
    let sets = |json: &Json| {
        let sets = json["valueSets"].as_array().into_iter().flatten().filter_map(Json::as_str);
        sets.collect::<Vec<_>>().join(" ")
    };
    let all = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let hooks = all("findings").into_iter().filter(|finding| finding["id"] == "unknown-hook");
    let hooks = hooks.map(|finding| format!("{} [{}]", finding["path"].as_str().unwrap(), sets(&finding)));
    let rows = all("sources").into_iter().map(|row| format!("{} {} {}", sets(&row), row["jobs"], row["state"]));
    (hooks.collect(), rows.collect())
}

#[test]
fn a_finding_is_reported_once_with_the_sets_in_which_it_is_true() {
    let world = world(&[
        ("shop/ci/ha-values.yaml", "a: 2\n"),
        ("shop/values-same.yaml", "a: 1\n"),
        ("shop/values-broken.yaml", "a: 3\n"),
        ("envs/ha.yaml", "a: 4\n"),
    ]);
    for arguments in [&["check", "--plugin", "shop"][..], &["check", "--plugin", "."]] {
        let (json, _, status) = output(&world, &[arguments, &["--format", "json"]].concat());
        let (hooks, rows) = told(&json);
        assert_eq!(hooks, ["shop/templates/first.yaml []", "shop/templates/second.yaml [ci/ha-values.yaml]"]);
        assert_eq!(
            rows,
            [
                "values.yaml values-same.yaml 1 \"checked\"",
                "values-broken.yaml null \"not-checked\"",
                "ci/ha-values.yaml 2 \"checked\""
            ]
        );
        assert_eq!(status, Some(1));
    }
    let (json, _, _) =
        output(&world, &["check", "--plugin", "shop", "--values-set", "env?/*.yaml", "--format", "json"]);
    assert_eq!(told(&json).0[1], "shop/templates/second.yaml [envs/ha.yaml ci/ha-values.yaml]");
    let (text, _, _) = output(&world, &["check", "--plugin", "shop"]);
    assert!(
        text.contains("in value sets: ci/ha-values.yaml\n") && text.contains("4 value sets: 3 with Jobs"),
        "{text}"
    );
    for format in ["github", "gitlab", "sarif"] {
        let (text, _, _) = output(&world, &["check", "--plugin", "shop", "--format", format]);
        assert_eq!(text.matches("in value sets: ci/ha-values.yaml").count(), 1, "{format}: {text}");
    }
    let (text, _, _) = output(&world, &["check", "--plugin", "shop", "--values", "shop/ci/ha-values.yaml"]);
    assert!(!text.contains("in value sets") && text.contains("postsync"), "{text}");
}

#[test]
fn no_set_leads_out_of_the_repository() {
    let world = world(&[]);
    std::fs::create_dir(world.outside()).unwrap();
    std::fs::write(world.outside().join("ha.yaml"), "a: 1\n").unwrap();
    world.write("plain/a.yaml", "a: 1\n");
    let (_, error, status) = output(&world, &["check", "--plugin", "plain", "--values-set", "plain/a.yaml"]);
    assert_eq!(status, Some(2), "{error}");
    assert!(error.contains("there is no chart here"), "{error}");
    for glob in ["../outside/*.yaml", "../outside/ha.yaml", "/etc/pass*", "none/*.yaml", "none.yaml"] {
        let (_, error, status) = output(&world, &["check", "--plugin", "shop", "--values-set", glob]);
        assert_eq!(status, Some(2), "{glob}: {error}");
        assert!(error.contains(&format!("`--values-set {glob}`: ")), "{error}");
    }
    std::os::unix::fs::symlink(world.outside().join("ha.yaml"), world.root().join("shop/values-out.yaml")).unwrap();
    let (text, error, status) = output(&world, &["check", "--plugin", "shop"]);
    assert_eq!(status, Some(2), "{text}{error}");
    assert!(text.contains("the symlink `shop/values-out.yaml` leads out of the"), "{text}");
}

#[test]
fn there_is_a_bound_and_no_name_writes_to_the_terminal() {
    let world =
        world(&[("shop/ci/\u{1b}[2J-values.yaml", "a: 1\n"), ("shop/ci/a\u{1b}]0;x\u{7}-values.yaml", "a: 2\n")]);
    for number in 0..1_000 {
        world.write(&format!("shop/ci/z{number}-values.yaml"), "a: 1\n");
    }
    let (json, beside, _) = output(&world, &["check", "--plugin", "shop", "--format", "json"]);
    let (_, rows) = told(&json);
    // A glob is not the name of a file, and Argo CD would take it for one.
    assert!(rows.iter().any(|row| row == "ci/\u{1b}[2J-values.yaml null \"not-checked\""), "{rows:?}");
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(beside.contains("note: shop: 953 more value sets not rendered: at most 50 of a chart are"), "{beside}");
    let (text, error, _) = output(&world, &["check", "--plugin", "shop", "--all"]);
    assert!(!(text + &error).contains('\u{1b}'));
}

#[test]
fn a_chart_of_which_no_set_can_be_rendered_is_not_passed() {
    let world = world(&[("shop/ci/broken-values.yaml", "a: 1\n")]);
    world.tool("helm", "echo 'Error: no' >&2; exit 1");
    let (text, error, status) = output(&world, &["check", "--plugin", "shop"]);
    assert_eq!(status, Some(2), "{text}{error}");
    assert!(error.contains("no value set of `shop` can be rendered"), "{error}");
}

/// Helm with a chart that has the dependencies `db` and `common`, and needs a template of the latter with `ha`.
const NEEDY: &str = r#"
if [ ! -e charts/db/Chart.yaml ]; then
    echo 'Error: An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: db, common' >&2
    exit 1
fi
case "$*" in */ha*)
    echo 'Error: template: shop/templates/a.yaml:1:3: executing "a" at <include "common.name" .>: error calling include: template: no template "common.name" associated with template "gotpl"' >&2
    exit 1 ;;
esac
while read -r key value; do [ "$key" = version: ] && version=$value; done <charts/db/Chart.yaml
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: db-%s}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n' "$version""#;

#[test]
fn what_is_not_there_is_left_out_and_said() {
    let world = world(&[
        (
            "shop/Chart.yaml",
            "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: db, version: 12.x.x, repository: 'https://charts.example.com'}\n\
             - {name: common, version: 2.0.0, repository: 'https://charts.example.com'}\n",
        ),
        ("shop/values.schema.json", "{\"$ref\": \"https://example.com/schema.json\"}"),
        ("shop/ci/ha-values.yaml", "a: 1\n"),
        (
            "app.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec: {source: {repoURL: 'https://git.example.com/shop.git', path: shop}}\n",
        ),
    ]);
    world.tool("helm", NEEDY);
    let (text, error, status) = output(&world, &["check", "--plugin", "shop"]);
    assert_eq!(status, Some(0), "{text}{error}");
    for expected in [
        "without the schema and 2 more",
        "ci/ha-values.yaml  helm  ?     not checked: needs the dependency `common`\n",
        "charts/../shop: not all Jobs",
    ] {
        let expected = expected.replace("charts/../", "");
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    let (json, _, _) = output(&world, &["check", "--plugin", "shop", "--format", "json", "--deny", "warning"]);
    let report: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(
        report["sources"][0]["without"],
        serde_json::json!(["the schema", "the dependency `db`", "the dependency `common`"])
    );
    assert!(json.contains("db-12.0.0"), "{json}");
    assert_eq!(fs_names(&world, "shop"), ["Chart.yaml", "ci", "templates", "values.schema.json", "values.yaml"]);
    // Whoever says that Argo CD renders it, and whatever is given to Argo CD, gets the error.
    for arguments in [&["generate", "shop"][..], &["check", "--plugin", "shop", "--values", "shop/ci/ha-values.yaml"]] {
        let (text, error, status) = output(&world, arguments);
        assert_eq!((status, text.as_str()), (Some(2), ""), "{arguments:?}: {text}{error}");
        let is_told = ["values.schema.json", "needs the dependency `common`"].iter().any(|why| error.contains(why));
        assert!(is_told, "{arguments:?}: {error}");
    }
}

fn fs_names(world: &World, dir: &str) -> Vec<String> {
    let entries = std::fs::read_dir(world.root().join(dir)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Fails without the API, or if the values are not those of `ci/whole-values.yaml`.
const ASKING: &str = r#"
case "$*" in
*/whole*) ;;
*"--api-versions monitoring.coreos.com/v1"*) echo 'kind: ServiceMonitor' ;;
*) echo 'Error: execution error at (shop/templates/second.yaml:3:6): the tag is required' >&2; exit 1 ;;
esac
printf -- '---\n# Source: shop/templates/first.yaml\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n'"#;

#[test]
fn what_templates_ask_for_is_rendered_or_named() {
    let world = world(&[
        ("shop/ci/whole-values.yaml", "image: {tag: x}\n"),
        ("shop/ci/part-values.yaml", "image: {name: x}\n"),
        (
            "shop/templates/second.yaml",
            "{{ if and .Values.migrate (not .Values.off) }}\nkind: Job\n{{ required \"the tag is required\" .Values.image.tag }}\n{{ end }}\n\
             {{ required \"b\" .Values.b }}{{ required \"a\" .Values.a }}",
        ),
        (
            "shop/templates/monitor.yaml",
            "{{ if .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" }}{{ end }}{{ if .Capabilities.APIVersions.Has \"apps/v1\" }}{{ end }}",
        ),
    ]);
    world.tool("helm", ASKING);
    let (json, error, status) = output(&world, &["check", "--plugin", "shop", "--format", "json"]);
    assert_eq!(status, Some(0), "{error}");
    assert_eq!(
        told(&json).1,
        [
            "values.yaml null \"not-checked\"",
            "values.yaml with API version monitoring.coreos.com/v1 1 \"checked\"",
            "ci/part-values.yaml null \"not-checked\"",
            "ci/whole-values.yaml 1 \"checked\""
        ]
    );
    let report: Json = serde_json::from_str(&json).unwrap();
    let lacking = serde_json::json!([
        { "value": "image.tag", "path": "templates/second.yaml", "line": 3 },
        { "value": "b", "path": "templates/second.yaml", "line": 5 }
    ]);
    assert_eq!((&report["sources"][0]["requires"], &report["sources"][2]["requires"]), (&lacking, &lacking));
    let unrendered = serde_json::json!([{
        "source": "shop", "path": "shop/templates/second.yaml", "line": 2, "kind": "Job", "conditions": ["`and migrate (not off)`"]
    }]);
    assert_eq!(report["unrendered"], unrendered);
    let (text, _, _) = output(&world, &["check", "--plugin", "shop"]);
    for expected in [
        "shop/templates/second.yaml:2: a Job that none of the checked value sets renders; its condition is `and migrate (not off)`\n",
        "shop, values.yaml, ci/part-values.yaml: values that are not given, and that these templates require when they are rendered: `image.tag` (templates/second.yaml:3), ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // An Application says which values and which cluster it has.
    let (text, _, _) = output(&world, &["check", "--plugin", "shop", "--values", "shop/ci/whole-values.yaml"]);
    assert!(!text.contains("second.yaml") && !world.calls().contains("with API"), "{text}");
}

#[test]
fn a_value_set_is_compared_with_that_of_the_base() {
    let Some(helm) = switches::tool("helm") else { return };
    let scratch = Scratch::new();
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: gate, annotations: {argocd.argoproj.io/hook: \"{{ .Values.hook }}\"}}\n\
               spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n";
    for (path, text) in [
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", "hook: PreSync\n"),
        ("shop/templates/job.yaml", job),
    ] {
        scratch.write(path, text);
    }
    commit(&scratch.source());
    // The base does not have the file.
    scratch.write("shop/values-prod.yaml", "hook: presync\n");
    let mut command = program::program(&scratch.source());
    let dirs = [helm.parent().unwrap().to_owned(), "/usr/bin".into(), "/bin".into()];
    command.args(["check", ".", "--base", "HEAD"]).env("PATH", std::env::join_paths(dirs).unwrap());
    let output = run(command, b"");
    assert_eq!(output.status, Some(1), "{}{}", output.text(), output.stderr);
    assert!(output.text().contains("error[unknown-hook]"), "{}", output.text());
}
