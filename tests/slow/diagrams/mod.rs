//! The diagrams of `preview --format mermaid`: they have the order of the text, and Mermaid draws them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use golden::Case;
use regex_lite::Regex;
use serde_json::Value as Json;

use crate::support::{case, program, switches};

/// The waves of a diagram in their order: the heading of each, and the lines of its nodes.
type Waves = Vec<(String, String)>;

/// What a case prints in two formats.
struct Said {
    name: String,
    json: Json,
    diagrams: Vec<String>,
}

/// The diagrams in an output.
fn diagrams(output: &str) -> Vec<String> {
    output.split("```mermaid\n").skip(1).map(|rest| rest.split_once("\n```\n").unwrap().0.to_owned()).collect()
}

fn waves(diagram: &str) -> Waves {
    let frame = Regex::new(r#"(?s)subgraph \w+\["(.*?)"\]\n(.*?)\nend\n"#).unwrap();
    frame.captures_iter(diagram).map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

/// Every case of `preview` in which no other format is asked for.
fn cases() -> Vec<Said> {
    let said = |case: &Case, format: &str| {
        let mut command = program::program(&case.dir.join("in"));
        command.envs(case.environment.iter().map(|(name, value)| (name, value))).env("PATH", switches::path());
        command.args(&case.arguments).args(["--format", format]);
        let input = case.input.as_ref().map(|input| fs::read(input).unwrap()).unwrap_or_default();
        program::run(command, &input).text()
    };
    let is_meant = |case: &Case| {
        let other = ["--format", "--live"];
        case.name.starts_with("preview/")
            && case.dir.join("in").is_dir()
            && !case.arguments.iter().any(|argument| other.contains(&argument.as_str()))
    };
    let all = case::all().into_iter().filter(is_meant);
    let json = |case: &Case| serde_json::from_str(&said(case, "json")).unwrap_or(Json::Null);
    all.map(|case| Said { json: json(&case), diagrams: diagrams(&said(&case, "mermaid")), name: case.name }).collect()
}

/// The waves in the order of a preview, with the names of what runs in each.
fn order(preview: &Json) -> Vec<(String, Vec<String>)> {
    let step = |step: &Json| {
        let runs = step["objects"].as_array().unwrap().iter().filter(|object| object["runs"] == true);
        let names = runs.map(|object| object["name"].as_str().unwrap().to_owned()).collect();
        (format!("{} wave {}", step["phase"].as_str().unwrap(), step["wave"]), names)
    };
    preview["order"].as_array().map_or_else(Vec::new, |order| order.iter().map(step).collect())
}

/// The first wave of the text that the diagram does not have at its place, or without a name.
fn differs(preview: &Json, diagram: &str) -> Option<String> {
    let waves = waves(diagram);
    let mut rest = waves.iter();
    for (wave, names) in order(preview) {
        let Some((_, nodes)) = rest.find(|(heading, _)| *heading == wave) else { return Some(wave) };
        let is_plain = |name: &&String| name.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'-');
        let is_missing = |name: &&String| !nodes.contains(name.as_str()) && !nodes.contains(" more<br>");
        if let Some(name) = names.iter().filter(is_plain).find(is_missing) {
            return Some(format!("{name} in {wave}"));
        }
    }
    None
}

/// Puts Mermaid where the tests find it. False if there is no npm, or it cannot install it.
fn has_mermaid(here: &Path, there: &Path) -> bool {
    fs::create_dir_all(there).unwrap();
    for file in ["package.json", "package-lock.json", "read.mjs"] {
        fs::copy(here.join(file), there.join(file)).unwrap();
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]).current_dir(there);
    npm.output().is_ok_and(|output| output.status.success())
}

/// What Mermaid reads in each of the diagrams.
fn read(there: &Path, diagrams: &[&String]) -> Vec<Json> {
    let mut node = Command::new("node");
    node.arg("read.mjs").current_dir(there);
    let output = program::run(node, serde_json::to_string(diagrams).unwrap().as_bytes());
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The lines of all nodes.
fn lines(read: &Json) -> Vec<&str> {
    let nodes = read["nodes"].as_array().unwrap().iter();
    nodes.flat_map(|node| node["lines"].as_array().unwrap()).map(|line| line.as_str().unwrap()).collect()
}

#[test]
fn a_diagram_has_the_order_of_the_text_and_mermaid_draws_it() {
    let cases = cases();
    // Of several sources, those that say the same are one.
    let of_one_source = cases.iter().filter(|case| case.json["order"].is_array() && case.diagrams.len() == 1);
    let (mut wrong, mut compared) = (String::new(), 0);
    for case in of_one_source {
        compared += 1;
        let difference = differs(&case.json, &case.diagrams[0]);
        wrong += &difference.map_or_else(String::new, |found| format!("{}: {found}\n", case.name));
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared > 100, "{compared}");

    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slow/diagrams");
    let there = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mermaid");
    if !has_mermaid(&here, &there) {
        switches::not_run(
            "Mermaid's reading of the diagrams: npm cannot install tests/slow/diagrams/package-lock.json",
        );
        return;
    }
    let hostile = fs::read_to_string(case::root().join("preview/mermaid/hostile-names/stdout.txt")).unwrap();
    let hostile = diagrams(&hostile);
    let all: Vec<&String> = cases.iter().flat_map(|case| &case.diagrams).chain(&hostile).collect();
    let read = read(&there, &all);
    assert_eq!(read.len(), all.len());
    for (diagram, read) in all.iter().zip(&read) {
        let headings: Vec<String> = waves(diagram).into_iter().map(|(heading, _)| heading).collect();
        assert_eq!(serde_json::to_string(&headings).unwrap(), read["frames"].to_string(), "{diagram}");
        let arrows = Regex::new(r"(?m)^\w+ (?:-->|--x|~~~|-\. [a-z ]+ \.->) \w+$").unwrap();
        assert_eq!(Json::from(arrows.find_iter(diagram).count()), read["arrows"], "{diagram}");
        // Mermaid lists a frame as a node if an arrow ends at it.
        let is_node = |node: &&Json| node["classes"] != serde_json::json!(["wave"]);
        let nodes = diagram.lines().filter(|line| line.contains("]:::")).count();
        assert_eq!(read["nodes"].as_array().unwrap().iter().filter(is_node).count(), nodes, "{diagram}");
    }
    let lines = lines(read.last().unwrap());
    for name in ["end", "a\"] --> b[\"c", "<img src=x onerror=alert(1)>", "#35;&lt;b&gt;", "1. one", "- item", "x<br>y"]
    {
        assert!(lines.contains(&name), "{name} is not among {lines:?}");
    }
}

#[test]
fn what_mermaid_would_not_draw_is_text() {
    let job = |wave: usize| {
        format!(
            "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: job-{wave}, annotations: {{argocd.argoproj.io/sync-wave: '{wave}'}}}}\n\
             spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: a:1}}]}}}}}}\n"
        )
    };
    let drawn = |waves: usize| {
        let mut command = program::program(&case::root());
        command.args(["preview", "-", "--format", "mermaid"]);
        program::run(command, (0..waves).map(job).collect::<String>().as_bytes()).text()
    };
    let text = drawn(400);
    assert_eq!(waves(&diagrams(&text)[0]).len(), 400);
    let text = drawn(600);
    assert!(
        text.contains("| `job-599` |") && text.contains("#### Sync order") && !text.contains("```mermaid"),
        "{text}"
    );
}
