//! The blocks to copy in `deploy/README.md` and `docs/adopt.md`: the installation that they produce, and the effect
//! of their settings.

use std::fs;
use std::path::Path;
use std::process::Command;

use goyaml::Value;
use system::PathText;

use crate::deploy::{CHART, COMPONENT, OPERATOR, SIDECAR, built, documents, named, only, pod_of, root, texts};
use crate::support::program::{program, run};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

/// The addresses of the component and of Argo CD's manifests in the guide.
const REMOTE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "//deploy/kustomize?ref=v", env!("CARGO_PKG_VERSION"));
const INSTALL: &str = "https://raw.githubusercontent.com/argoproj/argo-cd/v3.6.1/manifests/install.yaml";

/// The blocks of both pages that are in this language and contain all of these words.
fn blocks(language: &str, words: &[&str]) -> Vec<String> {
    let read = |page: &str| fs::read_to_string(root().join(page)).unwrap();
    let guide = read("deploy/README.md") + &read("docs/adopt.md");
    let opening = format!("```{language}\n");
    let all = guide.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    all.filter(|block| words.iter().all(|word| block.contains(word))).collect()
}

/// The only block with these words.
fn block(language: &str, words: &[&str]) -> String {
    let mut found = blocks(language, words);
    assert_eq!(found.len(), 1, "{words:?}: {found:?}");
    found.remove(0)
}

/// The guide's kustomization, followed by `more`, built over a stock repo-server with the component from a
/// repository.
fn installation(more: &str) -> Option<Vec<Value>> {
    let kustomization = block("yaml", &["components:"]);
    assert!(kustomization.contains(REMOTE) && kustomization.contains(INSTALL), "{kustomization}");
    let scratch = Scratch::new();
    let dir = scratch.source();
    for file in ["deploy/kustomize/kustomization.yaml", "deploy/kustomize/repo-server.yaml"] {
        scratch.write(&format!("remote/{file}"), fs::read(root().join(file)).unwrap());
    }
    commit(&dir.join("remote"));
    let tag = Command::new("git").args(["tag", "v0.1.0"]).current_dir(dir.join("remote")).status();
    assert!(tag.is_ok_and(|status| status.success()));
    let remote = format!("file://{}//deploy/kustomize?ref=v0.1.0", dir.join("remote").shown());
    let text = kustomization.replace(REMOTE, &remote).replace(INSTALL, "stock.yaml");
    scratch.write("kustomization.yaml", text + more);
    scratch.write("stock.yaml", fs::read(root().join("testdata/deploy/stock/argocd-repo-server.yaml")).unwrap());
    scratch.write("plugin.yaml", fs::read(root().join("plugin.yaml")).unwrap());
    built(&dir, ".")
}

/// The names and values in `env`.
fn env(sidecar: &Value) -> Vec<(&str, &str)> {
    let names = texts(sidecar, "env", "name");
    names.into_iter().zip(texts(sidecar, "env", "value")).collect()
}

#[test]
fn the_component_can_come_from_a_repository() {
    let Some(installed) = installation("") else { return };
    let of_the_folder = built(root(), "testdata/deploy").unwrap();
    assert_eq!(installed, of_the_folder);
}

#[test]
fn all_installations_set_the_same_defaults() {
    let chart = documents(&block("yaml", &["extraContainers:", "ARGOCD_JOBS_LOCK"])).remove(0);
    let wanted = env(named(chart.at(&CHART).unwrap(), SIDECAR));
    assert!(wanted.len() > 2, "{wanted:?}");
    let operator = documents(&block("yaml", &["sidecarContainers:", "ARGOCD_JOBS_LOCK"])).remove(0);
    assert_eq!(env(named(operator.at(&OPERATOR).unwrap(), SIDECAR)), wanted);
    // The names of containers in the blocks exist in the files.
    named(only("deploy/argo-helm-values.yaml").at(&CHART).unwrap(), SIDECAR);
    named(only("deploy/openshift.yaml").at(&OPERATOR).unwrap(), SIDECAR);
    let patch = block("yaml", &["patches:", "ARGOCD_JOBS_LOCK"]);
    let patch = documents(&patch).remove(0);
    let text = patch.at(&["patches"]).and_then(Value::as_list).unwrap()[0].text_at(&["patch"]).unwrap();
    assert_eq!(env(named(documents(text)[0].at(&COMPONENT).unwrap(), SIDECAR)), wanted);
    let Some(installed) = installation(&block("yaml", &["patches:", "ARGOCD_JOBS_LOCK"])) else { return };
    let sidecar = named(pod_of(&installed).at(&["containers"]).unwrap(), SIDECAR);
    assert_eq!(env(sidecar), wanted);
    assert!(sidecar.at(&["securityContext"]).is_some(), "the patch keeps the rest of the container");
}

#[test]
fn the_lock_of_the_guide_holds_and_its_defaults_are_defaults() {
    let chart = documents(&block("yaml", &["extraContainers:", "ARGOCD_JOBS_LOCK"])).remove(0);
    let sidecar = named(chart.at(&CHART).unwrap(), SIDECAR).clone();
    let job = |name: &str, annotations: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n  annotations: {{{annotations}}}\nspec:\n  template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: 'a:1'}}]}}}}\n---\n"
        )
    };
    let scratch = Scratch::new();
    let jobs =
        job("plain", "") + &job("own", "argocd-jobs/strategy: keep") + &job("hook", "argocd.argoproj.io/hook: PreSync");
    scratch.write("jobs.yaml", jobs);
    let generate = || {
        let mut command = program(&scratch.source());
        command.envs(env(&sidecar)).arg("generate");
        let got = run(command, b"");
        assert_eq!((got.status, got.stderr.as_str()), (Some(0), ""));
        got.text()
    };
    scratch.write(".argocd-jobs.yaml", "strategy: keep\n");
    let text = generate();
    assert!(text.contains("  name: plain-") && text.contains("  name: own-"), "the strategy is locked\n{text}");
    assert!(text.contains("  name: hook\n") && text.contains("activeDeadlineSeconds: 3600"), "{text}");
    scratch.write(".argocd-jobs.yaml", "deadline: 60\n");
    assert!(generate().contains("activeDeadlineSeconds: 60\n"), "the deadline is a default\n{}", generate());
}

#[test]
fn the_upgrade_of_the_chart_upgrades_nothing_else() {
    let command = block("text", &["helm upgrade"]);
    assert!(command.contains(" --version ") && command.contains(" --reset-then-reuse-values "), "{command}");
}

#[test]
fn another_plugin_yaml_can_be_mounted() {
    let Some(installed) = installation(&block("yaml", &["configMapGenerator:"])) else { return };
    let pod = pod_of(&installed);
    let sidecar = named(pod.at(&["containers"]).unwrap(), SIDECAR);
    assert!(texts(sidecar, "volumeMounts", "mountPath").contains(&"/home/argocd/cmp-server/config/plugin.yaml"));
    assert!(texts(sidecar, "volumeMounts", "mountPath").contains(&"/tmp"));
    let config = installed.iter().find(|object| object.text_at(&["kind"]) == Some("ConfigMap")).unwrap();
    let volume = named(pod.at(&["volumes"]).unwrap(), "argocd-jobs-plugin");
    assert_eq!(volume.text_at(&["configMap", "name"]), config.text_at(&["metadata", "name"]));
    let name = config.text_at(&["metadata", "name"]).unwrap();
    assert!(name.starts_with("argocd-jobs-plugin-"), "a change of the file changes {name}");
    assert_eq!(
        config.text_at(&["data", "plugin.yaml"]),
        fs::read_to_string(root().join("plugin.yaml")).ok().as_deref()
    );
}

#[test]
fn the_lists_of_applications_have_the_right_ones() {
    if !Command::new("jq").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return switches::not_run("the commands with jq in docs/adopt.md: there is no jq");
    }
    let list = |words: &[&str]| {
        let command = block("bash", words);
        let asked = "kubectl get applications.argoproj.io -A -o json |";
        assert!(command.starts_with(asked), "{command}");
        let command = command.replace(asked, "cat testdata/deploy/applications.json |");
        let output = Command::new("sh").args(["-c", &command]).current_dir(Path::new(root())).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(list(&["Replace=true"]), "argocd/replaces-among-others\nteam/replaces\n");
    let with_jobs = "argocd/replaces-among-others  plugin\nteam/replaces  no plugin\nteam/does-not-replace  no plugin\nteam/without-options  plugin\n";
    assert_eq!(list(&["\"Job\""]), with_jobs);
}

#[test]
fn the_guide_has_the_size_of_the_image() {
    let Some(program) = switches::static_program() else { return };
    let bytes = fs::metadata(program).unwrap().len() + fs::metadata(root().join("plugin.yaml")).unwrap().len();
    let guide = fs::read_to_string(root().join("deploy/README.md")).unwrap();
    let (before, _) = guide.split_once(" MB (").expect("the guide has the size of the image");
    let told: f64 = before.rsplit_once(' ').unwrap().1.parse().unwrap();
    let megabytes = bytes as f64 / 1e6;
    // A program linked with less optimization is a fifth larger.
    assert!((told - megabytes).abs() < megabytes / 4.0, "the image has {megabytes:.1} MB, not {told}");
}
