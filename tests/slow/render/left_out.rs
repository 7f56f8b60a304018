//! Nothing is said about what an Application lacks when a part of it was left out.

use std::collections::BTreeMap;

use super::fake::World;
use crate::support::program::run;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: queue, version: 1.0.0, repository: 'https://charts.example.com'}\n";

const APPLICATION: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source: {repoURL: 'https://git.example.com/shop.git', path: repo/shop}
  syncPolicy: {automated: {prune: true}}
";

/// Helm, which needs the dependency. Prints a hook, and in the old version an ordinary object.
const HELM: &str = r#"
if [ ! -e charts/queue/Chart.yaml ]; then
    echo 'Error: An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: queue' >&2
    exit 1
fi
printf -- '---\n# Source: shop/templates/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {argocd.argoproj.io/hook: Sync}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: "shop/migrate:1"}]}}}\n'
if [ -e old ]; then
    printf -- '---\n# Source: shop/templates/settings.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n'
fi"#;

#[test]
fn a_chart_without_its_dependency_may_have_more_than_hooks() {
    let files = [
        ("repo/argocd/shop.yaml", APPLICATION),
        ("repo/shop/Chart.yaml", CHART),
        ("repo/shop/templates/job.yaml", "kind: Job\n"),
        ("old/repo/argocd/shop.yaml", APPLICATION),
        ("old/repo/shop/Chart.yaml", CHART),
        ("old/repo/shop/templates/job.yaml", "kind: Job\n"),
        ("old/repo/shop/old", ""),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    world.tool("helm", HELM);
    let output = |arguments: &[&str]| {
        let mut command = world.command("", &BTreeMap::new());
        command.args(arguments).args(["--repository-url", "https://git.example.com/shop.git"]);
        String::from_utf8(run(command, b"").stdout).unwrap()
    };
    for arguments in [&["check", "repo", "--all"][..], &["preview", "repo", "--base", "old"]] {
        let text = output(arguments);
        assert!(text.contains("without the dependency `queue`"), "{text}");
        for said in ["hooks-only", "every resource", "allowEmpty", "deletes everything"] {
            assert!(!text.contains(said), "{said}: {text}");
        }
    }
}

/// Helm, which prints another Job each time.
const EITHER: &str = r#"
printf -- '---\n# Source: shop/charts/queue/templates/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: "shop/migrate:%s"}]}}}\n' $$
"#;

#[test]
fn a_dependency_that_a_chart_has_twice_is_the_reason_for_what_differs() {
    let queue = "apiVersion: v2\nname: queue\nversion: 1.0.0\n";
    let files = [
        ("shop/Chart.yaml", CHART),
        ("shop/templates/note.yaml", "kind: ConfigMap\nmetadata: {name: '{{ randAlpha 3 }}'}\n"),
        ("shop/charts/queue/Chart.yaml", queue),
        ("shop/charts/queue/templates/job.yaml", "kind: Job\n"),
        ("shop/charts/queue-old/Chart.yaml", queue),
        ("shop/charts/queue-old/templates/job.yaml", "kind: Job # old\n"),
        // This one is there twice, and it does not matter.
        ("shop/charts/same/Chart.yaml", "name: same\nversion: 1.0.0\n"),
        ("shop/charts/same-too/Chart.yaml", "name: same\nversion: 1.0.1\n"),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    world.tool("helm", EITHER);
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "shop"]);
    let ended = run(command, b"");
    let text = String::from_utf8(ended.stdout).unwrap() + &ended.stderr;
    for said in [
        "without all but one copy of `queue` in `charts`",
        "error[random-value]",
        "help: first remove all but one of `charts/queue`, `charts/queue-old`: Helm takes any of them",
    ] {
        assert!(text.contains(said), "{text}");
    }
    assert!(!text.contains("`same`"), "{text}");
}
