//! What agents read: the skill, of which `readme` runs the commands, and `llms.txt`.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::site;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rules of agentskills.io.
#[test]
fn the_skill_has_the_name_of_its_folder_and_a_description() {
    let text = read("skills/argocd-jobs/SKILL.md");
    let (front, _) = text.strip_prefix("---\n").unwrap().split_once("\n---\n\n# ").unwrap();
    let [name, description] = front.lines().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(name, "name: argocd-jobs");
    let description = description.strip_prefix("description: ").unwrap();
    assert!((100..=1024).contains(&description.len()) && !description.contains(": "), "{description}");
    assert!(text.lines().count() < 500);
}

#[test]
fn every_key_in_the_skill_is_in_its_schema() {
    let [check, preview] = ["check.v1", "preview.v2"]
        .map(|name| serde_json::from_str::<Json>(&read(&format!("schema/{name}.json"))).unwrap());
    let text = read("skills/argocd-jobs/SKILL.md");
    let (_, table) = text.split_once("| output of | key | what it is |\n|---|---|---|\n").unwrap();
    let mut seen = 0;
    for row in table.lines().take_while(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (root, start) = match cells[1] {
            "check" => (&check, &check),
            "preview" | "with --base" | "with --live" => (&preview, &preview["$defs"]["preview"]),
            other => panic!("{other}"),
        };
        for key in cells[2].split('`').filter(|key| !key.trim().is_empty()) {
            assert!(has(root, start, key), "{}: no `{key}` in the schema", cells[1]);
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} keys");
    assert!(!has(&check, &check, "findings[].nothing") && !has(&check, &check, "findings.id"));
}

/// Whether a value of the schema can have the key, such as `jobs[].name`.
fn has(root: &Json, schema: &Json, path: &str) -> bool {
    let resolved = |schema| -> &Json {
        let target = |schema: &Json| schema["$ref"].as_str().map(|target| target.trim_start_matches('#').to_owned());
        target(schema).map_or(schema, |target| root.pointer(&target).unwrap())
    };
    let inside = |schema, key: &str| -> Option<&Json> {
        let inner = resolved(schema).get("properties")?.get(key.trim_end_matches("[]"))?;
        if key.ends_with("[]") { resolved(inner).get("items") } else { Some(inner) }
    };
    path.split('.').try_fold(schema, inside).is_some()
}

/// Each page of the site once, under its name, in the order of the navigation, and as the Markdown of the repository.
#[test]
fn llms_txt_lists_every_page() {
    let text = read("llms.txt");
    let mut rest = text.as_str();
    assert!(rest.starts_with("# argocd-jobs\n\n> "));
    for (name, document) in site::listed() {
        let (_, after) = rest
            .split_once(&format!("- [{name}]("))
            .unwrap_or_else(|| panic!("llms.txt lacks {name}, or has it at another place"));
        let (address, after) = after.split_once("): ").unwrap();
        assert!(address.ends_with(&format!("/argocd-jobs/raw/main/{document}")), "{name}: {address}");
        assert!((20..=160).contains(&after.lines().next().unwrap().len()), "{name} needs one line about it");
        rest = after;
    }
    for (_, address) in
        text.match_indices("/raw/main/").map(|(at, mark)| (at, text[at + mark.len()..].split(')').next().unwrap()))
    {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(address).is_file(), "{address}");
    }
}
