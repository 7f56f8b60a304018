//! A folder that is only a part of a chart has no row and no findings of its own.

use std::collections::BTreeMap;

use super::fake::World;
use crate::support::program::run;

/// Prints what the templates below become.
const HELM: &str = r#"
[ "$1" = template ] && printf -- '---\n# Source: shop/templates/a/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {argocd.argoproj.io/hook: Sync}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: "shop/migrate:1"}]}}}\n---\n# Source: shop/templates/a/settings.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n'"#;

/// A template that is valid YAML and has other pods than what helm makes of it.
const QUOTED: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {argocd.argoproj.io/hook: Sync}}\n\
                      spec: {template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: '{{ .Values.image }}'}]}}}\n";

/// One that is no YAML.
const BROKEN: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  a: |-\n{{ .Values.a | indent 4 }}\n";

fn world(files: &[(&str, &str)]) -> World {
    let chart = [
        ("repo/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("repo/shop/values.yaml", "image: shop/migrate:1\n"),
    ];
    let files = chart.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let world = World::new(&files.collect(), false);
    world.tool("helm", HELM);
    world
}

fn output(world: &World, arguments: &[&str]) -> String {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments);
    String::from_utf8(run(command, b"").stdout).unwrap()
}

#[test]
fn a_template_of_a_chart_is_never_a_source_of_its_own() {
    for dir in ["repo/shop/templates", "repo/shop/templates/a", "repo/shop/templates/a/b"] {
        let (job, settings) = (format!("{dir}/job.yaml"), format!("{dir}/settings.yaml"));
        let world = world(&[(&job, QUOTED), (&settings, BROKEN)]);
        let text = output(&world, &["check", "repo", "--all"]);
        let said = "SOURCE     KIND  JOBS  FINDINGS\nrepo/shop  helm  1     2 info\n1 source: 1 with Jobs\nskipped: 1 part of another source\n";
        assert!(text.contains(said), "{text}");
        assert!(!text.contains("unreadable") && !text.contains("hooks-only"), "{text}");
        world.write(&format!("old/{job}"), &QUOTED.replace("Sync", "PreSync"));
        world.write("old/repo/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
        let text = output(&world, &["preview", "repo", "--base", "old"]);
        assert!(!text.contains("repo/shop/templates"), "{text}");
    }
}

#[test]
fn a_chart_around_a_folder_that_was_a_source_hides_nothing_of_it() {
    let world = world(&[("repo/shop/templates/job.yaml", QUOTED)]);
    world.write("old/repo/shop/templates/job.yaml", &QUOTED.replace("Sync", "PreSync"));
    let text = output(&world, &["preview", "repo", "--base", "old"]);
    assert!(text.contains("repo/shop/templates"), "{text}");
}
