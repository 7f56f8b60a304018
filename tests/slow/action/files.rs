//! The files of the action, the template and the hooks: no expression is inserted into a script, and `docs/ci.md`
//! agrees with the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::gitlab;
use super::runner::yaml;
use crate::support::switches;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn names(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn no_expression_is_in_a_script() {
    let action = yaml("action.yml");
    for step in action["runs"]["steps"].as_array().unwrap() {
        let run = step["run"].as_str().expect("the action uses no other action");
        assert!(!run.contains("${{"), "{run}");
        let script = run.split("$GITHUB_ACTION_PATH/").nth(1).unwrap().trim_end_matches('"');
        assert!(read(script).starts_with("#!/usr/bin/env bash\n"), "{script}");
    }
    for (name, job) in gitlab::template().as_object().unwrap() {
        for line in job["script"].as_array().unwrap() {
            assert!(!line.as_str().unwrap().contains("$[["), "{name}");
        }
    }
}

#[test]
fn workflows_have_no_expression_in_a_script_and_only_actions_by_their_commit() {
    let mut files = vec![];
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        files.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        let workflow: Value = serde_yaml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(workflow.get("permissions").is_some(), "{}", path.display());
        for (name, job) in workflow["jobs"].as_object().unwrap() {
            for step in job["steps"].as_array().into_iter().flatten() {
                let run = step["run"].as_str().unwrap_or_default();
                assert!(!run.contains("${{"), "{} {name}: {run}", path.display());
                if let Some(uses) = step["uses"].as_str() {
                    let version = uses.split_once('@').map_or("", |(_, version)| version);
                    let is_commit = version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
                    assert!(uses.starts_with("./") || is_commit, "{} {name}: {uses}", path.display());
                }
            }
        }
    }
    assert!(files.contains(&"ci.yml".to_owned()), "{files:?}");
}

#[test]
fn the_action_knows_the_archives_of_a_release() {
    let workflow = yaml(".github/workflows/release.yml");
    let script = read("action/install.sh");
    let targets = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    assert_eq!(targets.len(), script.matches(") target=").count());
    for target in targets {
        assert!(script.contains(&format!(") target={} ;;", target["target"].as_str().unwrap())), "{target}");
    }
}

#[test]
fn one_step_gets_the_token() {
    let action = yaml("action.yml");
    let holds = |value: &Value| ["github.token", "secrets."].iter().any(|word| value.to_string().contains(word));
    let steps = action["runs"]["steps"].as_array().unwrap();
    let with_token: Vec<&Value> = steps.iter().filter(|step| holds(step)).map(|step| &step["id"]).collect();
    assert_eq!(with_token, ["comment"]);
    assert!(!holds(&action["inputs"]) && !holds(&action["outputs"]));

    let template = gitlab::template();
    let uses = |job: &str| template[job]["script"].to_string().matches("$ARGOCD_NOTE_TOKEN").count();
    assert_eq!((uses("argocd-jobs"), uses("argocd-jobs-note")), (0, 1));
}

/// The expected rows of a table of inputs, in the order of the file.
fn table(file: &str, inputs: &Value) -> String {
    let text = read(file);
    let mut all: Vec<(&String, &Value)> = inputs.as_object().unwrap().iter().collect();
    let place = |name: &str| text.lines().position(|line| line.trim() == format!("{name}:")).unwrap();
    all.sort_by_key(|(name, _)| place(name));
    let row = |(name, input): (&String, &Value)| {
        let default = input["default"].as_str().map_or_else(|| input["default"].to_string(), str::to_owned);
        let default = if ["", "[]"].contains(&default.as_str()) { String::new() } else { format!("`{default}`") };
        format!("| `{name}` | {} | {default} |\n", input["description"].as_str().unwrap())
    };
    all.into_iter().map(row).collect()
}

#[test]
fn the_page_has_every_input() {
    let mut text = read("docs/ci.md");
    for (file, inputs) in [("action.yml", yaml("action.yml")["inputs"].clone()), ("ci/gitlab.yml", gitlab::inputs())] {
        let head = format!(
            "<!-- Made of {file} by `UPDATE=1 cargo test --test slow -- action::`. -->\n\n| input | what it is | default |\n|---|---|---|\n"
        );
        let start = text.find(&head).unwrap_or_else(|| panic!("docs/ci.md has no table of {file}")) + head.len();
        let end = start + text[start..].find("\n<!-- Until here. -->").unwrap();
        text.replace_range(start..end, &table(file, &inputs));
    }
    if switches::update() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md"), &text).unwrap();
    }
    assert!(read("docs/ci.md") == text, "UPDATE=1 writes the tables of docs/ci.md");
}

/// The YAML blocks of `docs/ci.md`.
fn snippets() -> Vec<Value> {
    let text = read("docs/ci.md");
    let blocks = text.split("```yaml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    blocks.map(|block| serde_yaml::from_str(block).unwrap_or_else(|error| panic!("{error}:\n{block}"))).collect()
}

#[test]
fn the_examples_use_what_there_is() {
    let snippets = snippets();
    let inputs = names(&yaml("action.yml")["inputs"]);
    let mut used = BTreeSet::new();
    let mut actions = 0;
    for snippet in &snippets {
        let jobs = snippet["jobs"].as_object().into_iter().flat_map(|jobs| jobs.values());
        for job in jobs.chain([snippet]) {
            for step in job["steps"].as_array().into_iter().flatten() {
                let Some(uses) = step["uses"].as_str() else { continue };
                let (action, version) = uses.split_once('@').unwrap();
                if action.ends_with("/argocd-jobs") {
                    assert_eq!(version, concat!("v", env!("CARGO_PKG_VERSION")));
                    used.extend(step.get("with").map(names).unwrap_or_default());
                } else {
                    assert_eq!(version.len(), 40, "{uses}: by its commit");
                }
                actions += 1;
            }
        }
        // Some parsers read the key `on` as a boolean.
        let events = snippet.get("on").or_else(|| snippet.get("true")).map(Value::to_string).unwrap_or_default();
        assert!(!events.contains("pull_request_target"));
        assert_eq!(snippet.get("jobs").is_some(), events.contains("pull_request"));
    }
    assert!(actions >= 8 && used.is_subset(&inputs) && used.len() >= 6, "{actions} {used:?}");

    let include = snippets.iter().find_map(|snippet| snippet.get("include")).unwrap();
    let at_the_tag = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/v", env!("CARGO_PKG_VERSION"), "/");
    let file = include[0]["remote"].as_str().unwrap().strip_prefix(at_the_tag).unwrap();
    assert!(read(file).starts_with("# argocd-jobs in GitLab CI"));
    for (name, value) in include[0]["inputs"].as_object().unwrap() {
        assert!(gitlab::is_taken(&gitlab::inputs()[name], value), "{name}: {value}");
    }

    let hooks = yaml(".pre-commit-hooks.yaml");
    let repository = snippets.iter().find_map(|snippet| snippet.get("repos")).unwrap()[0].clone();
    assert_eq!(repository["rev"], concat!("v", env!("CARGO_PKG_VERSION")));
    assert!(hooks.as_array().unwrap().iter().any(|hook| hook["id"] == repository["hooks"][0]["id"]));
}

#[test]
fn the_mirror_has_the_same_hooks_and_the_version_of_the_program() {
    let (mut hooks, mirrored) = (yaml(".pre-commit-hooks.yaml"), yaml("pre-commit-mirror/.pre-commit-hooks.yaml"));
    for hook in hooks.as_array_mut().unwrap() {
        assert_eq!(hook["language"], "rust");
        hook["language"] = "python".into();
    }
    assert_eq!(hooks, mirrored);
    let wanted = concat!("dependencies = [\"argocd-jobs==", env!("CARGO_PKG_VERSION"), "\"]\n");
    assert!(read("pre-commit-mirror/pyproject.toml").contains(wanted), "{wanted}");
    assert!(read("pre-commit-mirror/README.md").contains(concat!("`v", env!("CARGO_PKG_VERSION"), "`")));
}
