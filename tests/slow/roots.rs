//! Applications that are rendered by parent Applications, which need helm or kustomize.

use std::ffi::OsString;

use crate::support::program::{self, Output};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

const URL: &str = "https://git.example.com/x.git";
const MANUAL: &str = "";
const AUTOMATED: &str = ", syncPolicy: {automated: {}}";

/// An Application; `source` is its path with other keys of the source, `policy` its sync policy.
fn application(name: &str, source: &str, policy: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{source: {{repoURL: {URL}, {source}}}, \
         destination: {{namespace: x}}{policy}}}\n"
    )
}

/// A parent chart that prints the Application `shop`; its value files set the image.
fn with_chart(scratch: &Scratch) {
    scratch.write("root/Chart.yaml", "apiVersion: v2\nname: root\nversion: 1.0.0\n");
    scratch.write("root/values-prod.yaml", "tag: 1\n");
    scratch.write("root/values-test.yaml", "tag: 1\n");
    let shop =
        application("shop", "path: shop, helm: {parameters: [{name: tag, value: '{{ .Values.tag }}'}]}", AUTOMATED);
    let chart = application("cache", "chart: cache, targetRevision: '{{ .Values.tag }}'", AUTOMATED);
    scratch.write("root/templates/shop.yaml", format!("{shop}---\n{chart}"));
    scratch.write("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: seed}\nspec: {template: {spec: {restartPolicy: Never, \
               containers: [{name: c, image: 'b:{{ .Values.tag }}'}]}}}\n";
    scratch.write("shop/templates/job.yaml", job);
}

/// A parent chart that prints the Application `shop` only if the value `env` is set, which its own values do not set.
fn with_silent_chart(scratch: &Scratch) {
    with_chart(scratch);
    std::fs::remove_dir_all(scratch.source().join("root/templates")).unwrap();
    for name in ["prod", "test"] {
        std::fs::remove_file(scratch.source().join(format!("root/values-{name}.yaml"))).unwrap();
    }
    let shop = application("shop", "path: shop, helm: {parameters: [{name: tag, value: '{{ .Values.env.tag }}'}]}", "");
    scratch.write("root/templates/shop.yaml", format!("{{{{ if .Values.env }}}}\n{shop}{{{{ end }}}}\n"));
    scratch.write("root/templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
}

/// Runs the program in a repository; `None` when the tools are not installed.
fn run(scratch: &Scratch, arguments: &[&str]) -> Option<Output> {
    run_on(scratch, ".", arguments)
}

/// Runs the program on a path in a repository; `None` when the tools are not installed.
fn run_on(scratch: &Scratch, on: &str, arguments: &[&str]) -> Option<Output> {
    let tools = switches::tool("kustomize")?.parent()?.to_owned();
    let path: OsString =
        std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&switches::path()))).ok()?;
    let mut command = program::program(&scratch.source());
    command.args(arguments).args([on, "--repository-url", URL]).env("PATH", path);
    Some(program::run(command, b""))
}

/// The preview of a change that sets the tag in `file`.
fn preview(scratch: &Scratch, file: &str, text: &str) -> Option<String> {
    commit(&scratch.source());
    scratch.write(file, text);
    Some(run(scratch, &["preview", "--base", "HEAD"])?.text())
}

#[test]
fn a_root_that_nothing_here_can_render_has_the_policy_of_its_application() {
    for (policy, words) in [
        (AUTOMATED, ", helm)  fails; starts on merge\n"),
        (MANUAL, ", helm)  fails; starts after somebody syncs `root`\n"),
    ] {
        let scratch = Scratch::new();
        with_chart(&scratch);
        scratch.write("bootstrap/Chart.yaml", "apiVersion: v2\nname: bootstrap\nversion: 1.0.0\n");
        let root = application("root", "path: root, helm: {valueFiles: ['values-{{ .Values.env }}.yaml']}", policy);
        scratch.write("bootstrap/templates/root.yaml", root);
        let Some(text) = preview(&scratch, "root/values-prod.yaml", "tag: 2\n") else { return };
        assert!(text.contains(words), "{text}");
        // Its value files take its place.
        assert!(!text.contains("does not exist"), "{text}");
    }
}

#[test]
fn a_root_that_nothing_declares_has_no_known_policy() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    let Some(text) = preview(&scratch, "root/values-prod.yaml", "tag: 2\n") else { return };
    assert!(text.contains("fails; starts if something applies `root (values-prod.yaml)`\n"), "{text}");
    assert!(text.contains("no Application is known for it"), "{text}");
    assert!(!text.contains("starts on merge"), "{text}");
}

#[test]
fn a_root_with_a_new_value_file_has_no_known_policy() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    let Some(text) = preview(&scratch, "root/values-new.yaml", "tag: 2\n") else { return };
    assert!(text.contains("no Application is known for it: Application "), "{text}");
    assert!(!text.contains("no automated sync policy"), "{text}");
}

#[test]
fn a_root_is_read_with_a_value_file_of_any_name() {
    let scratch = Scratch::new();
    with_silent_chart(&scratch);
    scratch.write("root/stage.yaml", "env: {tag: 1}\n");
    let Some(text) = preview(&scratch, "root/stage.yaml", "env: {tag: 2}\n") else { return };
    assert!(text.contains("root (stage.yaml) → shop") && text.contains("image `b`: `1` → `2`"), "{text}");
    let text = run_on(&scratch, "root", &["preview"]).unwrap().text();
    assert!(text.contains("root (stage.yaml) → shop"), "{text}");
}

const SILENT: &str =
    "root: not all Jobs are known: its templates make Applications, and none with the values that are known here";

#[test]
fn a_chart_that_makes_applications_with_unknown_values_only_says_so() {
    let scratch = Scratch::new();
    with_silent_chart(&scratch);
    commit(&scratch.source());
    for command in ["check", "preview"] {
        let Some(output) = run(&scratch, &[command]) else { return };
        assert!(output.text().contains(SILENT), "{}", output.text());
        let output = run_on(&scratch, "root", &[command]).unwrap();
        assert!(
            output.stderr.contains("note: not all Jobs are known: its templates make Applications"),
            "{}",
            output.stderr
        );
    }
    // Also in a repository with Applications, where a folder that none of them uses is only counted.
    scratch.write("argocd/other.yaml", application("other", "path: other", MANUAL));
    scratch.write("other/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let text = run(&scratch, &["check"]).unwrap().text();
    assert!(text.contains(SILENT), "{text}");
    // Argo CD has the values: these Applications are not made.
    scratch.write("argocd/root.yaml", application("root", "path: root", MANUAL));
    let text = run(&scratch, &["check", "--all"]).unwrap().text();
    assert!(!text.contains("its templates make Applications"), "{text}");
}

#[test]
fn a_chart_that_only_names_applications_makes_none() {
    let scratch = Scratch::new();
    with_silent_chart(&scratch);
    std::fs::remove_file(scratch.source().join("root/templates/shop.yaml")).unwrap();
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: applications.argoproj.io}\n\
               spec:\n  group: argoproj.io\n  names:\n    kind: Application\n";
    let project = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: a}\nspec:\n  namespaceResourceWhitelist:\n  \
                   - group: argoproj.io\n    kind: Application\n";
    scratch.write("root/templates/more.yaml", format!("{crd}---\n{project}"));
    let Some(output) = run(&scratch, &["check"]) else { return };
    assert!(!output.text().contains("its templates make Applications"), "{}", output.text());
}

#[test]
fn the_applications_of_a_named_value_set_are_followed() {
    let scratch = Scratch::new();
    with_silent_chart(&scratch);
    scratch.write("envs/a.yaml", "env: {tag: 1}\n");
    commit(&scratch.source());
    for on in [".", "root"] {
        let Some(output) = run_on(&scratch, on, &["check", "--values-set", "envs/*.yaml", "--all"]) else { return };
        let text = output.text();
        assert!(text.contains("coverage: 1 Job in 2 Applications"), "{text}{}", output.stderr);
        assert!(!text.contains("not all Jobs are known"), "{text}");
    }
}

#[test]
fn what_a_chart_renders_with_typed_values_is_not_followed_and_says_so() {
    let scratch = Scratch::new();
    with_silent_chart(&scratch);
    scratch.write("envs/a.yaml", "env: {tag: 1}\n");
    commit(&scratch.source());
    for command in ["check", "preview"] {
        let Some(output) = run_on(&scratch, "root", &[command, "--values", "envs/a.yaml"]) else { return };
        let said = "note: not all Jobs are known: it renders 1 Application, which is not followed: `shop`";
        assert!(output.stderr.contains(said), "{}", output.stderr);
        let output = run_on(&scratch, "root", &[command, "--set-value", "other=1"]).unwrap();
        assert!(!output.stderr.contains("not followed"), "{}", output.stderr);
    }
}

#[test]
fn a_root_that_nothing_declares_is_no_application_that_can_be_deleted() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    commit(&scratch.source());
    std::fs::remove_dir_all(scratch.source().join("root")).unwrap();
    let Some(told) = run(&scratch, &["preview", "--base", "HEAD"]) else { return };
    assert!(
        told.text()
            .contains("deleted if what declared them prunes, and their resources stay in the cluster: `cache`, `shop`"),
        "{}",
        told.text()
    );
}

#[test]
fn an_application_that_only_kustomize_knows_is_the_parent() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    scratch.write("base/kustomization.yaml", "resources: [root.yaml]\n");
    scratch.write("base/root.yaml", application("root", "path: patched", MANUAL));
    let patch = r#"[{"op": "replace", "path": "/spec/source/path", "value": "apps"}]"#;
    let text = format!("resources: [../base]\npatches: [{{target: {{kind: Application}}, patch: '{patch}'}}]\n");
    scratch.write("prod/kustomization.yaml", text);
    scratch.write("apps/kustomization.yaml", "resources: [shop.yaml]\n");
    let shop = |tag: u32| application("shop", &format!("path: shop, helm: {{values: 'tag: {tag}'}}"), AUTOMATED);
    scratch.write("apps/shop.yaml", shop(1));
    let Some(text) = preview(&scratch, "apps/shop.yaml", &shop(2)) else { return };
    assert!(text.contains("prod → root → shop"), "{text}");
    assert!(text.contains("fails; starts after somebody syncs `root`\n"), "{text}");
}

#[test]
fn a_root_that_can_no_longer_be_rendered_is_an_error() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    scratch.write("argocd/other.yaml", application("other", "path: shop", MANUAL));
    scratch.write("prod/kustomization.yaml", "resources: [apps.yaml]\n");
    scratch.write("prod/apps.yaml", application("shop", "path: shop", AUTOMATED));
    let broken = "resources: [apps.yaml, missing.yaml]\n";
    let Some(text) = preview(&scratch, "prod/kustomization.yaml", broken) else { return };
    assert!(text.contains("1 source can no longer be read"), "{text}");
    let text = run(&scratch, &["check"]).unwrap().text();
    assert!(text.contains("not checked: no such file: missing.yaml"), "{text}");
}

#[test]
fn what_is_not_rendered_is_counted_in_each_environment() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    commit(&scratch.source());
    let Some(output) = run(&scratch, &["check"]) else { return };
    let text = output.text();
    assert!(text.contains("not rendered, charts of Helm repositories: `cache`\n"), "{text}");
    assert!(text.contains("2 not checked: charts of Helm repositories"), "{text}");
}

#[test]
fn what_one_environment_loses_is_deleted_although_another_one_has_it() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    commit(&scratch.source());
    std::fs::remove_file(scratch.source().join("root/values-test.yaml")).unwrap();
    let Some(told) = run(&scratch, &["preview", "--base", "HEAD"]) else { return };
    let both = "2 Applications are deleted if what declared them prunes, and their resources stay in the cluster: `cache`, `shop`";
    assert!(told.text().contains(both), "{}{}", told.text(), told.stderr);
    assert!(told.text().contains("root (values-test.yaml) → shop"), "{}", told.text());
    assert!(told.text().contains("`cache` is removed, and is not rendered here."), "{}", told.text());
    // Only the Application, and its value file with it.
    let scratch = Scratch::new();
    with_chart(&scratch);
    let shop = application("shop", "path: shop, helm: {valueFiles: ['values-{{ .Values.name }}.yaml']}", AUTOMATED);
    scratch.write("root/templates/shop.yaml", format!("{{{{ if .Values.shop }}}}\n{shop}{{{{ end }}}}\n"));
    for name in ["prod", "test"] {
        scratch.write(&format!("root/values-{name}.yaml"), format!("name: {name}\nshop: true\n"));
        scratch.write(&format!("shop/values-{name}.yaml"), "tag: 1\n");
    }
    commit(&scratch.source());
    std::fs::remove_file(scratch.source().join("shop/values-test.yaml")).unwrap();
    scratch.write("root/values-test.yaml", "name: test\n");
    let text = run(&scratch, &["preview", "--base", "HEAD"]).unwrap().text();
    let deleted = "1 Application is deleted if what declared it prunes, and its resources stay in the cluster: `shop`";
    assert!(text.contains(deleted) && text.contains("seed  stays in the cluster"), "{text}");
    assert!(!text.contains("not checked"), "{text}");
}

#[test]
fn a_new_dependency_of_a_chart_is_not_checked_and_not_wrong() {
    let scratch = Scratch::new();
    with_chart(&scratch);
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies: [{name: redis, version: 1.0.0, repository: https://charts.example.com}]\n";
    let Some(text) = preview(&scratch, "shop/Chart.yaml", chart) else { return };
    assert!(text.contains("`shop` changes, and not all could be compared."), "{text}");
    assert!(!text.contains("no longer"), "{text}");
}

#[test]
fn what_may_have_more_jobs_is_named_if_the_change_is_about_it() {
    let scratch = Scratch::new();
    let chart = "apiVersion: v2\nname: mon\nversion: 1.0.0\ndependencies: [{name: grafana, version: 1.0.0, repository: https://charts.example.com}]\n";
    scratch.write("mon/Chart.yaml", chart);
    scratch.write("mon/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    scratch.write("plain/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    scratch.write("argocd/mon.yaml", application("mon", "path: mon", MANUAL));
    scratch.write("argocd/plain.yaml", application("plain", "path: plain", AUTOMATED));
    let changed = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";
    let Some(text) = preview(&scratch, "plain/a.yaml", changed) else { return };
    assert!(text.contains("plain  runs no Job") && !text.contains("mon"), "{text}");
    let text = run(&scratch, &["check", "--base", "HEAD"]).unwrap().text();
    assert!(!text.contains("mon"), "{text}");
    let text = preview(&scratch, "mon/templates/a.yaml", changed).unwrap();
    assert!(
        text.contains("`mon` changes, and not all could be compared.")
            && text.contains("without the dependency `grafana`"),
        "{text}"
    );
    let text = run(&scratch, &["check"]).unwrap().text();
    assert!(text.contains("mon: not all Jobs are known: rendered without"), "{text}");
}
