//! The files in `deploy/` and the `Dockerfile` are valid YAML for Argo CD, agree with the program, and build on top
//! of a stock argocd-repo-server with the kustomize of Argo CD (`interop/tools/`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use goyaml::split::split;
use goyaml::{Tree, Value};
use rewrite::settings::PARAMETERS;
use system::PathText;

use crate::support::switches;

pub(crate) const SIDECAR: &str = "argocd-jobs";

/// The paths of the repo-server's containers: in the component's patch, in the values of the chart, in the resource
/// of the operator.
pub(crate) const COMPONENT: [&str; 4] = ["spec", "template", "spec", "containers"];
pub(crate) const CHART: [&str; 2] = ["repoServer", "extraContainers"];
pub(crate) const OPERATOR: [&str; 3] = ["spec", "repo", "sidecarContainers"];

#[test]
fn every_yaml_file_can_be_read_and_has_a_kind() {
    let files = yaml_files();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let documents = documents(&fs::read_to_string(&file).unwrap());
        assert!(!documents.is_empty(), "{}", file.shown());
        let is_manifest = !file.ends_with("argo-helm-values.yaml") && !file.ends_with("helm-plugin/plugin.yaml");
        let has_kind = documents.iter().all(|document| document.text_at(&["kind"]).is_some());
        assert_eq!(has_kind, is_manifest, "{}", file.shown());
    }
}

#[test]
fn every_sidecar_is_locked_down_and_starts_the_cmp_server() {
    let patch = only("deploy/kustomize/repo-server.yaml");
    let chart = only("deploy/argo-helm-values.yaml");
    let openshift = only("deploy/openshift.yaml");
    for (containers, user) in [
        (patch.at(&COMPONENT), Some(999)),
        (chart.at(&CHART), Some(999)),
        // OpenShift chooses the user.
        (openshift.at(&OPERATOR), None),
    ] {
        let sidecar = named(containers.unwrap(), SIDECAR);
        is_locked_down(sidecar, user);
        let mounts = texts(sidecar, "volumeMounts", "mountPath");
        for wanted in ["/var/run/argocd", "/home/argocd/cmp-server/plugins", "/tmp"] {
            assert!(mounts.contains(&wanted), "{wanted} of {mounts:?}");
        }
        // The image contains the config. A mounted one could be older or newer than the program.
        assert!(mounts.iter().all(|mount| !mount.starts_with("/home/argocd/cmp-server/config")), "{mounts:?}");
    }
}

#[test]
fn the_memory_limit_is_that_of_the_sizing_table() {
    let page = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    assert!(page.contains("512 MiB; limit 2 GiB |") && page.contains("with a limit of 2 GiB and no CPU limit"));
    for (file, containers) in [
        ("deploy/kustomize/repo-server.yaml", COMPONENT.as_slice()),
        ("deploy/argo-helm-values.yaml", &CHART),
        ("deploy/openshift.yaml", &OPERATOR),
    ] {
        let whole = only(file);
        let sidecar = named(whole.at(containers).unwrap(), SIDECAR);
        assert_eq!(sidecar.text_at(&["resources", "limits", "memory"]), Some("2Gi"), "{file}");
        // A single rendering must fail with a message before the container runs out of memory.
        let env = texts(sidecar, "env", "name").into_iter().zip(texts(sidecar, "env", "value"));
        assert_eq!(env.collect::<Vec<_>>(), [("ARGOCD_JOBS_RENDER_MEMORY", "512")], "{file}");
    }
    assert!(page.contains("set `ARGOCD_JOBS_RENDER_MEMORY` to `512` with a limit of 2 GiB"));
}

#[test]
fn the_examples_use_the_plugin_and_parameters_that_it_has() {
    for file in ["application.yaml", "application-with-parameters.yaml", "application-helm.yaml"] {
        let application = only(&format!("deploy/examples/{file}"));
        let plugin = application.at(&["spec", "source", "plugin"]).unwrap();
        assert_eq!(plugin.text_at(&["name"]), Some(SIDECAR));
        for name in texts(plugin, "parameters", "name") {
            assert!(PARAMETERS.iter().any(|parameter| parameter.name == name), "{file}: {name}");
        }
        let options =
            application.at(&["spec", "syncPolicy", "syncOptions"]).and_then(Value::as_list).unwrap_or_default();
        assert!(options.iter().all(|option| option.as_text() != Some("Replace=true")), "{file}");
    }
}

#[test]
fn the_component_builds_over_a_stock_repo_server() {
    let Some(built) = built(root(), "testdata/deploy") else { return };
    let pod = pod_of(&built);
    let names = texts(pod, "containers", "name");
    assert_eq!(names.iter().filter(|name| **name == SIDECAR).count(), 1, "{names:?}");
    assert!(names.contains(&"argocd-repo-server"), "{names:?}");
    let sidecar = named(pod.at(&["containers"]).unwrap(), SIDECAR);
    is_locked_down(sidecar, Some(999));
    // The image that a reader builds; after the first release, the published one with helm and kustomize.
    let image = sidecar.text_at(&["image"]).unwrap();
    assert!(image.ends_with("/argocd-jobs:0.1.0") || image.ends_with("/argocd-jobs:0.1.0-argocd3.6"), "{image}");
    let volumes = texts(pod, "volumes", "name");
    for mount in texts(sidecar, "volumeMounts", "name") {
        assert!(volumes.contains(&mount), "no volume {mount} of {volumes:?}");
    }
}

#[test]
fn an_application_set_makes_applications_that_use_the_plugin() {
    let set = only("deploy/examples/applicationset.yaml");
    assert_eq!(set.text_at(&["kind"]), Some("ApplicationSet"));
    let plugin = set.at(&["spec", "template", "spec", "source", "plugin"]).unwrap();
    assert_eq!(plugin.text_at(&["name"]), Some(SIDECAR));
    for parameter in plugin.at(&["parameters"]).and_then(Value::as_list).unwrap() {
        let name = parameter.text_at(&["name"]).unwrap();
        assert!(PARAMETERS.iter().any(|known| known.name == name), "{name}");
        // The API server refuses anything else.
        assert!(matches!(parameter.at(&["string"]), Some(Value::String(_))), "{name}");
    }
}

#[test]
fn the_image_holds_the_program_and_no_shell() {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let stages: Vec<&str> = text.split("\nFROM ").skip(1).collect();
    let base = stages.iter().find(|stage| stage.starts_with("scratch AS base")).expect("a stage on scratch");
    assert!(base.contains("\nUSER 999\n") && base.contains(" /usr/local/bin/argocd-jobs\n"));
    assert!(base.contains("COPY plugin.yaml /home/argocd/cmp-server/config/plugin.yaml"));
    assert!(stages.last().unwrap().starts_with("base AS plugin"), "the last stage is what `docker build` makes");
    assert!(stages.iter().any(|stage| stage.starts_with("base AS with-renderers")));
    for stage in stages.iter().filter(|stage| stage.starts_with("base AS") || stage.starts_with("scratch AS")) {
        assert!(!stage.contains("\nRUN "), "there is nothing in the image that could run\n{stage}");
    }
    let command = only("plugin.yaml");
    let program = command.at(&["spec", "generate", "command"]).and_then(Value::as_list).unwrap()[0].as_text();
    assert_eq!(program, Some("/usr/local/bin/argocd-jobs"));
}

/// The values of the chart and the resources of the operator are made of the ConfigMaps: `UPDATE=1` writes them. The patch for Argo
/// CD has the same script.
#[test]
fn every_way_to_install_what_is_for_after_a_sync_has_the_same_text() {
    let folder = root().join("deploy/after-a-sync");
    let patch = fs::read_to_string(root().join("upstream/3-rerun-action-for-jobs.patch")).unwrap();
    let data = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.split_once("\ndata:\n").unwrap().1.to_owned()
    };
    let deeper = |text: &str, by: usize| -> String {
        let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{}{line}\n", " ".repeat(by)) };
        text.lines().map(line).collect()
    };
    let (actions, messages) = (data("argocd-cm.yaml"), data("argocd-notifications-cm.yaml"));
    let (triggers, templates) = messages.split_at(messages.find("  template.").unwrap());
    let (_, action) = actions.split_once('\n').unwrap();
    let (_, patch) = patch.split_once("+++ b/resource_customizations/batch/Job/actions/rerun/action.lua\n").unwrap();
    let added = patch.lines().take_while(|line| !line.starts_with("diff ")).filter_map(|line| line.strip_prefix('+'));
    let (_, script) = action.split_once("action.lua: |\n").unwrap();
    assert!(
        script.lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).eq(added),
        "the patch has another script"
    );
    let made = "# Made of the ConfigMaps beside it by `UPDATE=1 cargo test`: docs/after-a-sync.md.\n";
    let parts = |by| format!("  triggers:\n{}  templates:\n{}", deeper(triggers, by), deeper(templates, by));
    let chart = format!("{made}configs:\n  cm:\n{}notifications:\n{}", deeper(&actions, 2), parts(2));
    let operator = format!(
        "{made}apiVersion: argoproj.io/v1beta1\nkind: ArgoCD\nmetadata:\n  name: argocd\nspec:\n  resourceActions:\n  \
         - group: batch\n    kind: Job\n    action: |\n{}---\napiVersion: argoproj.io/v1alpha1\nkind: NotificationsConfiguration\n\
         metadata:\n  name: default-notifications-configuration\nspec:\n{}",
        deeper(action, 2),
        parts(2)
    );
    for (name, text) in [("argo-helm-values.yaml", chart), ("openshift.yaml", operator)] {
        let path = folder.join(name);
        if switches::update() {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{} is not made of the ConfigMaps (UPDATE=1)", path.shown());
    }
}

/// The output of Argo CD's kustomize for a folder; `None`, with a note, where it is not installed.
pub(crate) fn built(dir: &Path, path: &str) -> Option<Vec<Value>> {
    let kustomize = switches::tool("kustomize")?;
    let output = Command::new(kustomize).args(["build", path]).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(documents(&String::from_utf8(output.stdout).unwrap()))
}

/// The pod of the repo-server.
pub(crate) fn pod_of(built: &[Value]) -> &Value {
    let deployment = built.iter().find(|object| object.text_at(&["kind"]) == Some("Deployment")).unwrap();
    deployment.at(&["spec", "template", "spec"]).unwrap()
}

fn is_locked_down(sidecar: &Value, user: Option<i64>) {
    let security = sidecar.at(&["securityContext"]).unwrap();
    let command = ["/usr/local/bin/argocd-jobs", "sidecar", "/var/run/argocd/argocd-cmp-server"];
    assert_eq!(sidecar.at(&["command"]), Some(&list(&command)));
    assert_eq!(security.at(&["runAsUser"]), user.map(Value::Int).as_ref());
    assert_eq!(security.at(&["runAsNonRoot"]), Some(&Value::Bool(true)));
    assert_eq!(security.at(&["readOnlyRootFilesystem"]), Some(&Value::Bool(true)));
    assert_eq!(security.at(&["allowPrivilegeEscalation"]), Some(&Value::Bool(false)));
    assert_eq!(security.at(&["capabilities", "drop"]), Some(&list(&["ALL"])));
}

fn list(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(|text| Value::String((*text).into())).collect())
}

/// The text with this key in each item of a list.
pub(crate) fn texts<'v>(value: &'v Value, list: &str, key: &str) -> Vec<&'v str> {
    let items = value.at(&[list]).and_then(Value::as_list).unwrap_or_default();
    items.iter().filter_map(|item| item.text_at(&[key])).collect()
}

pub(crate) fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    list.as_list().unwrap().iter().find(|item| item.text_at(&["name"]) == Some(name)).unwrap()
}

pub(crate) fn only(path: &str) -> Value {
    let mut documents = documents(&fs::read_to_string(root().join(path)).unwrap());
    assert_eq!(documents.len(), 1, "{path}");
    documents.remove(0)
}

/// The documents of a text, as Argo CD reads them.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let pieces = split(text);
    assert_eq!(pieces.error, None);
    let pieces = (0..pieces.len()).map(|index| pieces.span(index).of(text));
    let read = |piece: &str| {
        let mut tree = Tree::default();
        let document = tree.read(piece).unwrap().checked().unwrap();
        document.root()?.value().ok().filter(|value| *value != Value::Null)
    };
    pieces.filter_map(read).collect()
}

fn yaml_files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(root().join("deploy"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    files
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
