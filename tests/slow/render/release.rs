//! What a chart prints for an upgrade, and the templates that call `lookup` or read `.Release.Revision`.

use std::collections::BTreeMap;

use super::fake::World;
use crate::support::program::run;
use crate::support::scratch::commit;
use crate::support::switches;

/// The Job of a template; `hook` makes it a hook, if it is not empty.
fn job(name: &str, hook: &str, image: &str) -> String {
    let annotations =
        if hook.is_empty() { String::new() } else { format!("\n  annotations: {{helm.sh/hook: {hook}}}") };
    format!(
        "---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}{annotations}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: {image}}}]
"
    )
}

fn world(templates: &[(&str, String)]) -> World {
    let chart = [("shop/Chart.yaml".to_owned(), "apiVersion: v2\nname: shop\nversion: 0.1.0\n".to_owned())];
    let templates = templates.iter().map(|(name, text)| (format!("shop/templates/{name}"), text.clone()));
    World::new(&chart.into_iter().chain(templates).collect(), false)
}

/// The findings about what a chart asks for; the first line of each.
fn findings(world: &World) -> Vec<String> {
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "shop", "--plugin=false", "--all"]);
    let output = run(command, b"");
    assert_eq!(output.stderr, "");
    let is_one = |line: &&str| {
        ["[checksum-leaves-out-job]", "[helm-is-upgrade]", "[helm-lookup]", "[helm-revision]", "[unstable-name]"]
            .iter()
            .any(|id| line.contains(id))
    };
    output.text().lines().filter(is_one).map(ToOwned::to_owned).collect()
}

fn real(templates: &[(&str, String)]) -> Option<Vec<String>> {
    let helm = switches::tool("helm")?;
    let world = world(templates);
    world.real("helm", &helm);
    Some(findings(&world))
}

#[test]
fn a_job_that_is_only_printed_for_an_upgrade_or_an_installation_is_found() {
    let around = |condition: &str, job: String| format!("{{{{ if .Release.{condition} }}}}\n{job}{{{{ end }}}}\n");
    let found = real(&[
        ("upgrade.yaml", around("IsUpgrade", job("migrate", "pre-upgrade", "a:1"))),
        (
            "install.yaml",
            around("IsInstall", job("seed", "post-install", "a:1")) + &around("IsInstall", job("init", "", "a:1")),
        ),
        ("both.yaml", job("other", "", "a:{{ if .Release.IsUpgrade }}1{{ else }}2{{ end }}") + &job("same", "", "a:1")),
        ("unused.yaml", "{{ define \"unused\" }}{{ .Release.IsInstall }}{{ end }}".to_owned()),
        ("deployment.yaml", around("IsUpgrade", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n".to_owned())),
    ]);
    let Some(found) = found else { return };
    let installation = "the chart prints this";
    let wanted = [
        "both.yaml:3:1: info[helm-is-upgrade]: for an upgrade, the chart prints another `spec.template.spec.containers[0].image`; Argo CD always renders \
         an installation"
            .to_owned(),
        format!("install.yaml:6:9: warning[helm-is-upgrade]: {installation} hook only for an installation, and Argo CD always renders one: the hook runs at every sync"),
        format!("install.yaml:19:9: info[helm-is-upgrade]: {installation} Job only for an installation, and Argo CD always renders one: it stays part of every sync"),
        "upgrade.yaml:4:1: warning[helm-is-upgrade]: Job `migrate` never runs: the chart prints it only for an upgrade, and Argo CD always renders an installation"
            .to_owned(),
    ];
    let mut wanted = wanted.map(|line| format!("shop/templates/{line}"));
    let mut found = found;
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted);
}

#[test]
fn a_chart_that_cannot_be_upgraded_here_is_read() {
    let fails = "{{ if .Release.IsUpgrade }}{{ fail \"set the password\" }}{{ end }}\n".to_owned();
    let Some(found) = real(&[
        ("job.yaml", job("seed", "", "a:{{ .Release.IsInstall }}")),
        ("other.yaml", fails + &job("other", "", "a:1")),
    ]) else {
        return;
    };
    assert_eq!(
        found,
        [
            "shop/templates/job.yaml:5:9: info[helm-is-upgrade]: its template asks for `.Release.IsUpgrade` or `.Release.IsInstall` \
          (shop/templates/job.yaml:10:51): Argo CD always renders an installation, and the chart cannot be rendered for an upgrade to compare"
        ]
    );
}

#[test]
fn lookup_and_the_revision_are_read_in_the_template_and_what_it_includes() {
    let helper = "{{- define \"tag\" }}{{ if lookup \"v1\" \"Secret\" \"a\" \"b\" }}1{{ else }}2{{ end }}{{ end -}}\n";
    let found = real(&[
        ("_helpers.tpl", helper.to_owned()),
        ("a.yaml", job("a", "", "\"a:{{ include \"tag\" . }}\"") + &job("same", "", "a:1")),
        ("b.yaml", job("b-{{ .Release.Revision }}", "post-install", "a:1")),
        ("c.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData: {a: \"{{ lookup \"v1\" \"Secret\" \"a\" \"b\" }}\"}\n".to_owned()),
        ("d.yaml", job("d", "", "a:lookup{{ \"lookup\" | trunc 0 }}{{/* lookup .Release.Revision */}}")),
    ]);
    let Some(found) = found else { return };
    assert_eq!(
        found,
        [
            "shop/templates/a.yaml:5:9: info[helm-lookup]: the template of this Job calls `lookup` (shop/templates/_helpers.tpl:1:26), which finds \
             nothing under Argo CD",
            "shop/templates/b.yaml:5:9: info[helm-revision]: the template of this Job reads `.Release.Revision` (shop/templates/b.yaml:5:23), \
             which is always 1 under Argo CD",
        ]
    );
}

#[test]
fn an_upgrade_is_compared_beside_random_names_and_hooks_of_other_kinds_are_read() {
    let upgrade = format!("{{{{ if .Release.IsUpgrade }}}}\n{}{{{{ end }}}}\n", job("migrate", "pre-upgrade", "a:1"));
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: ca\n  annotations: {helm.sh/hook: pre-install}\nstringData: {a: \"{{ lookup \"v1\" \"Secret\" \"a\" \"b\" }}\"}\n";
    let found = real(&[
        ("jobs.yaml", upgrade + &job("setup-{{ randAlphaNum 6 | lower }}", "", "a:1")),
        ("secret.yaml", secret.to_owned()),
    ]);
    let Some(found) = found else { return };
    assert_eq!(
        found,
        [
            "shop/templates/jobs.yaml:4:1: warning[helm-is-upgrade]: Job `migrate` never runs: the chart prints it only for an upgrade, and Argo CD always \
             renders an installation",
            "shop/templates/secret.yaml:4:9: info[helm-lookup]: the template of this Secret calls `lookup` (shop/templates/secret.yaml:6:21), which finds \
             nothing under Argo CD",
        ]
    );
}

#[test]
fn the_namespace_of_the_release_is_that_of_objects_without_one() {
    let Some(helm) = switches::tool("helm") else { return };
    let account =
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: \"{{ .Release.Namespace }}\"}\n"
            .to_owned();
    let hook =
        job("migrate", "pre-install", "a:1").replace("restartPolicy", "serviceAccountName: a\n      restartPolicy");
    let world = world(&[("account.yaml", account), ("job.yaml", hook)]);
    world.real("helm", &helm);
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "shop", "--plugin=false"]);
    let text = run(command, b"").text();
    assert!(text.contains("error[hook-needs-later-object]: the PreSync hook needs ServiceAccount `a`"), "{text}");
}

#[test]
fn only_a_chart_that_asks_is_rendered_for_an_upgrade_and_never_in_generate() {
    for (text, subcommand, wanted) in [
        ("a: {{ .Release.IsUpgrade }}", "check", 1),
        ("a: {{ $.Release.IsInstall }}", "preview", 1),
        ("a: {{ .Release.IsUpgrade }}", "generate", 0),
        ("a: {{ .Release.Name }}", "check", 0),
    ] {
        let world = world(&[("a.yaml", text.to_owned())]);
        let mut command = world.command("", &BTreeMap::new());
        command.args([subcommand, "shop"]);
        assert_eq!(run(command, b"").stderr, "", "{text}");
        assert_eq!(world.calls().matches("--is-upgrade").count(), wanted, "{text} {subcommand}");
    }
}

#[test]
fn a_checksum_of_another_template_in_the_name_is_found() {
    let named = |sum: &str| job(&format!("a-{{{{ {sum} | sha256sum | trunc 7 }}}}"), "", "a:1");
    let other = "include (print $.Template.BasePath \"/settings.yaml\") .";
    let settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n".to_owned();
    let found = real(&[
        ("settings.yaml", settings),
        ("other.yaml", named(other)),
        ("image.yaml", named(&format!("print ({other}) .Values.image"))),
    ]);
    let Some(found) = found else { return };
    assert!(
        found.iter().any(|line| line.starts_with("shop/templates/other.yaml:5:9: warning[checksum-leaves-out-job]")),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|line| line.starts_with("shop/templates/image.yaml") && line.contains("leaves-out")),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|line| line.starts_with("shop/templates/other.yaml") && line.contains("unstable")),
        "{found:?}"
    );
}

#[test]
fn without_a_namespace_the_subject_of_a_chart_names_its_own_account() {
    let Some(helm) = switches::tool("helm") else { return };
    let hook = |kind: &str, namespace: &str, rest: &str| {
        format!("---\n{kind}\nmetadata: {{name: a, {namespace}annotations: {{helm.sh/hook: pre-install}}}}\n{rest}")
    };
    let pod = "{restartPolicy: Never, serviceAccountName: a, containers: [{name: a, image: a:1}]}";
    let subject = "{kind: ServiceAccount, name: a, namespace: {{ .Release.Namespace }}}";
    let binding = format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: a}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}}\nsubjects: [{subject}]\n"
    );
    for namespace in ["", "namespace: {{ .Release.Namespace }}, "] {
        for (name, value) in [("ARGOCD_APP_NAMESPACE", "shop"), ("", "")] {
            let account = hook("apiVersion: v1\nkind: ServiceAccount", namespace, "");
            let job =
                hook("apiVersion: batch/v1\nkind: Job", namespace, &format!("spec: {{template: {{spec: {pod}}}}}\n"));
            let world = world(&[("all.yaml", account + &binding + &job)]);
            world.real("helm", &helm);
            let mut command = world.command("", &BTreeMap::new());
            command.args(["check", "shop", "--plugin=false"]);
            if !name.is_empty() {
                command.env(name, value);
            }
            let text = run(command, b"").text().to_owned();
            assert!(text.contains("gets the permissions of its ServiceAccount `a`"), "{namespace}{value}: {text}");
        }
    }
}

#[test]
fn what_a_template_reads_is_not_new_against_a_revision_that_reads_it_too() {
    let Some(helm) = switches::tool("helm") else { return };
    let named =
        job("a-{{ include (print $.Template.BasePath \"/settings.yaml\") . | sha256sum | trunc 7 }}", "", "a:1");
    let settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n".to_owned();
    let world = world(&[("settings.yaml", settings), ("other.yaml", named)]);
    world.real("helm", &helm);
    let git = std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|git| git.exists());
    world.real("git", &git.unwrap());
    std::fs::remove_dir_all(world.root().join(".git")).unwrap();
    commit(&world.root());
    let mut command = world.command("", &BTreeMap::new());
    command.args(["preview", "shop", "--plugin=false", "--base", "HEAD"]);
    let text = run(command, b"").text();
    assert!(!text.contains("checksum-leaves-out-job"), "{text}");
}

#[test]
fn a_secret_that_is_a_hook_and_random_is_not_made_ordinary() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\n  annotations: {helm.sh/hook: pre-install}\nstringData: {key: {{ randAlphaNum 8 }}}\n";
    let user = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec:\n  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: a, image: a:1, envFrom: [{secretRef: {name: app}}]}]}\n";
    let Some(helm) = switches::tool("helm") else { return };
    let world = world(&[("secret.yaml", secret.to_owned()), ("api.yaml", user.to_owned())]);
    world.real("helm", &helm);
    let mut command = world.command("", &BTreeMap::new());
    command.args(["check", "shop", "--plugin=false"]);
    let text = run(command, b"").text();
    assert!(text.contains("creates it again with other content; Deployment `api` uses it"), "{text}");
    assert!(text.contains("help: use an object that is not in the output"), "{text}");
}
