//! Compares the calls of helm and kustomize, case by case. The cases are in `testdata/render/helm.yaml` and
//! `kustomize.yaml`, the expected calls and messages in `helm.txt` and `kustomize.txt` (`UPDATE=1` writes them).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use goyaml::Value;
use goyaml::json::{Form, print};

use super::fake::World;
use crate::support::switches;

#[test]
fn helm_is_called_as_argo_cd_calls_it() {
    compare("helm");
}

#[test]
fn kustomize_is_called_as_argo_cd_calls_it() {
    compare("kustomize");
}

/// Runs the cases of one tool, and compares or writes the expectations.
fn compare(tool: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/render");
    let cases = Value::read(&fs::read_to_string(dir.join(format!("{tool}.yaml"))).unwrap()).unwrap();
    let files = texts(cases.at(&["files"]).unwrap());
    let all = cases.at(&["cases"]).and_then(Value::as_list).unwrap();
    let found: String = all.iter().map(|case| run(case, &files, tool)).collect();
    let expected = dir.join(format!("{tool}.txt"));
    if switches::update() {
        fs::write(expected, found).unwrap();
    } else {
        similar_asserts(&fs::read_to_string(expected).unwrap(), &found);
    }
}

/// Runs a case; returns its name, the calls of the tools, and the message.
fn run(case: &Value, files: &BTreeMap<String, String>, tool: &str) -> String {
    let name = case.text_at(&["case"]).unwrap();
    let mut files = files.clone();
    files.extend(case.at(&["files"]).map(texts).unwrap_or_default());
    files.retain(|_, text| text != "(none)");
    let is_request = case.at(&["outside-argocd"]).is_none();
    let is_without_git = case.at(&["without-git"]).is_some();
    let world = if is_without_git { World::without_git(&files, is_request) } else { World::new(&files, is_request) };
    if let Some(script) = case.text_at(&["tool"]) {
        world.tool(tool, script);
    }
    if let Some(script) = case.text_at(&["kubectl"]) {
        fs::remove_file(world.tools().join("kustomize")).unwrap();
        if !script.is_empty() {
            world.tool("kubectl", script);
        }
    }
    let mut environment: BTreeMap<String, String> =
        [("ARGOCD_APP_NAME".to_owned(), "shop".to_owned()), ("ARGOCD_JOBS_TRIGGER".to_owned(), "false".to_owned())]
            .into();
    environment.extend(case.at(&["environment"]).map(texts).unwrap_or_default());
    if let Some(parameters) = case.at(&["parameters"]) {
        environment.insert("ARGOCD_APP_PARAMETERS".to_owned(), print(parameters, Form::Stream));
    }
    let versions = world.tools().join("kustomize-4");
    for value in environment.values_mut() {
        *value = value.replace("KUSTOMIZE-4", versions.to_str().unwrap());
    }
    world.tool("kustomize-4", "case $1 in build) printf 'kind: ConfigMap\\napiVersion: v1\\n' ;; esac");
    let dir = case.text_at(&["dir"]).unwrap_or(if tool == "helm" { "charts/shop" } else { "apps/shop" });
    let before = tree(&world);
    let output = world.generate(dir, &environment);
    assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new(), "{name}");
    if !is_request {
        assert_eq!(before, tree(&world), "{name}: the user's own tree is as it was");
    }
    let mut shown = format!("== {name}\n{}", world.calls());
    if output.status != Some(0) {
        shown += &world.without_paths(&output.stderr);
    } else {
        let text = output.text();
        assert!(
            text.contains(&format!("name: from-{tool}")) || name.contains("version"),
            "{name}\n{text}{}",
            output.stderr
        );
    }
    shown
}

/// All files of the repository.
fn tree(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![world.root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn texts(map: &Value) -> BTreeMap<String, String> {
    let map = map.as_map().unwrap().iter();
    map.map(|(key, value)| (key.to_string(), value.as_text().unwrap().to_owned())).collect()
}

fn similar_asserts(expected: &str, found: &str) {
    let mut wrong = Vec::new();
    let (mut old, mut new) = (expected.split("== "), found.split("== "));
    loop {
        match (old.next(), new.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => wrong.push(format!("- {}\n+ {}", old.unwrap_or(""), new.unwrap_or(""))),
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 writes what is found\n{}", wrong.join("\n"));
}
