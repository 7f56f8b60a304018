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
