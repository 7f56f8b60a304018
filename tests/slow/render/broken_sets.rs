//! `check` about an ApplicationSet that a chart prints, and that Argo CD refuses.

use crate::support::program::{program, run};
use crate::support::scratch::Scratch;
use crate::support::switches;

const SET: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: {{ .Values.name }}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
  - list: {elements: [{name: one}, {other: two}]}
  template:
    metadata: {name: '{{ `{{.name}}` }}'}
    spec: {project: default, source: {repoURL: 'https://git.example.com/shop.git', path: shop}, destination: {namespace: shop}}
";

#[test]
fn a_set_of_a_chart_that_argo_cd_refuses_is_found_in_the_template() {
    let Some(tools) = switches::tool("helm").and_then(|helm| Some(helm.parent()?.to_owned())) else { return };
    let scratch = Scratch::new();
    scratch.write("Chart.yaml", "apiVersion: v2\nname: sets\nversion: 1.0.0\n");
    scratch.write("values.yaml", "name: shops\n");
    scratch.write("templates/set.yaml", SET);
    let path = switches::path();
    let path = std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = program(&scratch.source());
    command.args(["check", "."]).env("PATH", path);
    let text = run(command, b"").text();
    let said = "templates/set.yaml:4:9: error[application-set-fails]: Argo CD makes none of the Applications of `shops`: \
                map has no entry for key \"name\" (1 element)";
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("not rendered"), "{text}");
}
