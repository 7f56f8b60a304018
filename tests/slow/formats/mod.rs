//! The formats of `check` for other programs: every case under `check/` is run in each of them, and compared with its
//! schema and the other formats.

use std::fs;
use std::path::Path;

use golden::Case;
use regex_lite::Regex;
use serde_json::Value as Json;

use crate::support::scratch::Scratch;
use crate::support::{case, json_schema, program};

/// Two open findings, a solved one and an ignored one.
const JOBS: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: a, annotations: {argocd.argoproj.io/hook: presync, argocd-jobs/ignore.unknown-hook: ours}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: b, annotations: {argocd.argoproj.io/hook: postsync}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: c}
spec: {ttlSecondsAfterFinished: 60, template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'app:1'}]}}}
";

fn read(path: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a case of `check` in another format; `None` when the program refuses it.
fn run(case: &Case, format: &str) -> Option<program::Output> {
    run_with(case, &["--format", format])
}

/// Runs a case of `check` with other arguments.
fn run_with(case: &Case, more: &[&str]) -> Option<program::Output> {
    let empty = Scratch::new();
    let source = case.dir.join("in");
    let mut command = program::program(if source.exists() { &source } else { Path::new("/") });
    if !source.exists() {
        command.current_dir(empty.source());
    }
    let mut arguments = case.arguments.clone();
    if let Some(at) = arguments.iter().position(|argument| argument == "--format") {
        arguments.drain(at..at + 2);
    }
    command.args(arguments).args(more).envs(case.environment.iter().map(|(key, value)| (key, value)));
    let input = case.input.as_ref().map(|input| fs::read(input).unwrap()).unwrap_or_default();
    let output = program::run(command, &input);
    (output.status != Some(2)).then_some(output)
}

#[test]
fn every_case_fits_the_schemas_and_all_formats_say_the_same() {
    let (json_schema, sarif_schema) = (read("schema/check.v1.json"), read("testdata/sarif/sarif-schema-2.1.0.json"));
    let cases: Vec<Case> = case::all().into_iter().filter(|case| case.name.starts_with("check/")).collect();
    let mut all = 0;
    for case in &cases {
        let name = &case.name;
        let Some(json) = run(case, "json") else { continue };
        let [sarif, github, gitlab] = ["sarif", "github", "gitlab"].map(|format| run(case, format).unwrap());
        assert!(
            [&sarif, &github, &gitlab].iter().all(|other| other.status == json.status),
            "{name}: the status depends on the format"
        );
        let (report, log) = (json.text(), sarif.text());
        let (report, log): (Json, Json) = (serde_json::from_str(&report).unwrap(), serde_json::from_str(&log).unwrap());
        assert_eq!(json_schema::errors(&json_schema, &report), [""; 0], "{name}");
        assert_eq!(json_schema::errors(&sarif_schema, &log), [""; 0], "{name}");
        let findings = report["findings"].as_array().unwrap();
        let open: Vec<&Json> = findings.iter().filter(|finding| finding["state"] == "open").collect();
        let counted = ["error", "warning", "info"].map(|level| report["counts"][level].as_u64().unwrap());
        assert_eq!(counted.iter().sum::<u64>(), open.len() as u64, "{name}");
        sarif_says(&log, &open, name);
        github_says(&github.text(), &open, name);
        gitlab_says(&serde_json::from_str(&gitlab.text()).unwrap(), &open, name);
        all += findings.len();
    }
    assert!(all > 10, "only {all} findings in all cases");
}

#[test]
fn without_the_plugin_every_finding_is_open_and_none_is_about_the_plugin() {
    // These findings are about effects of a strategy or a setting of the plugin.
    let of_plugin = [
        "hook-renamed",
        "kept-name",
        "locked-setting",
        "missing-reference",
        "mutable-image",
        "names-renamed-job",
        "refused",
        "unstable-template-label",
    ];
    let cases: Vec<Case> = case::all().into_iter().filter(|case| case.name.starts_with("check/")).collect();
    let mut all = 0;
    for case in cases.iter().filter(|case| !case.arguments.iter().any(|argument| argument.starts_with("--plugin"))) {
        // A case is refused when it sets something for Jobs.
        let Some(output) = run_with(case, &["--format", "json", "--plugin=false"]) else { continue };
        let report: Json = serde_json::from_str(&output.text()).unwrap();
        for finding in report["findings"].as_array().unwrap() {
            let (id, state) = (finding["id"].as_str().unwrap(), &finding["state"]);
            // A folder without manifests is a mistake with and without the plugin.
            let is_empty = finding["message"].as_str().unwrap().starts_with("no manifest found");
            assert!(state != "solved" && (is_empty || !of_plugin.contains(&id)), "{}: {finding}", case.name);
            all += 1;
        }
    }
    assert!(all > 100, "only {all} findings in all cases");
}

#[test]
fn previews_for_programs_fit_their_schema() {
    let schema = read("schema/preview.v2.json");
    let is_preview = |case: &Case| case.name.starts_with("preview/") && case.dir.join("stdout.json").exists();
    let cases: Vec<Case> = case::all().into_iter().filter(is_preview).collect();
    assert!(cases.len() >= 2, "a preview alone, and one against another version");
    for case in cases {
        let report = serde_json::from_str(&fs::read_to_string(case.dir.join("stdout.json")).unwrap()).unwrap();
        assert_eq!(json_schema::errors(&schema, &report), [""; 0], "{}", case.name);
    }
}

/// Checks that the results are the open findings, each with a rule, a line and a unique fingerprint.
fn sarif_says(log: &Json, open: &[&Json], name: &str) {
    let results = log["runs"][0]["results"].as_array().expect("there are results, perhaps none");
    assert_eq!(results.len(), open.len(), "{name}");
    let mut prints: Vec<&str> = Vec::new();
    for (result, finding) in results.iter().zip(open) {
        let rule = &log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert!(result["ruleId"] == finding["id"] && rule["id"] == finding["id"], "{name}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert!(region["startLine"].as_u64() == finding["line"].as_u64().or(Some(1)), "{name}");
        prints.push(result["partialFingerprints"]["argocdJobs/v1"].as_str().unwrap());
    }
    let count = prints.len();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), count, "{name}: a fingerprint twice");
}

/// Checks that the issues are the open findings, each with the keys that GitLab requires, a relative path and a
/// unique fingerprint.
fn gitlab_says(issues: &Json, open: &[&Json], name: &str) {
    let issues = issues.as_array().expect("a list, perhaps empty");
    assert_eq!(issues.len(), open.len(), "{name}");
    let mut prints: Vec<&str> = Vec::new();
    for (issue, finding) in issues.iter().zip(open) {
        let text = |key: &str| issue[key].as_str().unwrap_or_else(|| panic!("{name}: no {key}"));
        assert_eq!(text("check_name"), finding["id"].as_str().unwrap(), "{name}");
        let severity = match finding["level"].as_str().unwrap() {
            "error" => "critical",
            "warning" => "major",
            _ => "info",
        };
        assert_eq!(text("severity"), severity, "{name}");
        assert!(!text("description").contains('\n') && !text("description").is_empty(), "{name}");
        let path = issue["location"]["path"].as_str().expect("GitLab drops an issue without a path");
        assert!(!path.is_empty() && !path.starts_with("./"), "{name}: {path}");
        let line = finding["line"].as_u64().filter(|_| finding["path"] != "<stdin>").unwrap_or(1);
        assert_eq!(issue["location"]["lines"]["begin"].as_u64(), Some(line), "{name}");
        prints.push(text("fingerprint"));
    }
    let count = prints.len();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), count, "{name}: a fingerprint twice");
}

/// Checks that each open finding is one command on one line, from which the finding can be read back, and that a
/// summary follows; with several sources, other lines may follow, also about templates of Jobs that are not rendered.
fn github_says(text: &str, open: &[&Json], name: &str) {
    let sources =
        Regex::new(r"^(\d+ sources?|skipped|not used by any Application here|coverage|[^: ]+:\d+): ").unwrap();
    let command = Regex::new(r"^::(error|warning|notice) (?:([^:]*)::)(.*)$").unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !sources.is_match(line)).collect();
    assert_eq!(lines.len(), open.len() + 1, "{name}: {text}");
    for (line, finding) in lines.iter().zip(open) {
        let parts = command.captures(line).unwrap_or_else(|| panic!("{name}: no command: {line}"));
        let level = finding["level"].as_str().unwrap().replace("info", "notice");
        assert_eq!(parts[1], level, "{name}");
        let properties: Vec<(&str, String)> = parts[2]
            .split(',')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(key, value)| (key, unescape(value)))
            .collect();
        let property = |key| properties.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        assert_eq!(property("title"), finding["id"].as_str(), "{name}");
        assert_eq!(property("line").map(|line| line.parse().unwrap()), finding["line"].as_u64(), "{name}");
        assert_eq!(property("col").map(|line| line.parse().unwrap()), finding["column"].as_u64(), "{name}");
        let message = text::visible(finding["message"].as_str().unwrap());
        let said = unescape(&parts[3]);
        // Without a file, the message names the object.
        let object = Regex::new(r"^\S+ \S+: ").unwrap();
        let said = if property("file").is_none() { object.replace(&said, "") } else { said.as_str().into() };
        assert!(said.starts_with(message.as_ref()), "{name}: {line}");
    }
}

fn unescape(text: &str) -> String {
    let codes = [("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")];
    codes.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

/// The output of `check` for `JOBS` below `apps/shop`, run in `apps`.
fn in_a_checkout(format: &str, workspace: Option<&Path>, jobs: &str) -> String {
    let dir = Scratch::new();
    dir.write("apps/shop/a.yaml", jobs);
    let mut command = program::program(&dir.source().join("apps"));
    command.args(["check", "./shop", "--plugin", "--format", format]);
    if let Some(inside) = workspace {
        let variable = if format == "gitlab" { "CI_PROJECT_DIR" } else { "GITHUB_WORKSPACE" };
        command.env(variable, dir.source().join(inside));
    }
    program::run(command, b"").text()
}

#[test]
fn paths_begin_at_the_root_of_the_checkout() {
    let github = |workspace: Option<&str>| in_a_checkout("github", workspace.map(Path::new), JOBS);
    assert!(github(Some("")).contains(" file=apps/shop/a.yaml,"), "{}", github(Some("")));
    assert!(github(None).contains(" file=shop/a.yaml,"));
    assert!(github(Some("elsewhere")).contains(" file=shop/a.yaml,"));
    assert!(in_a_checkout("gitlab", Some(Path::new("")), JOBS).contains(r#""path": "apps/shop/a.yaml""#));
    assert!(in_a_checkout("gitlab", None, JOBS).contains(r#""path": "shop/a.yaml""#));
    let sarif = in_a_checkout("sarif", Some(Path::new("")), JOBS);
    assert!(sarif.contains(r#""uri": "apps/shop/a.yaml""#), "{sarif}");
    assert!(in_a_checkout("json", Some(Path::new("")), JOBS).contains(r#""path": "shop/a.yaml""#));
}

#[test]
fn a_fingerprint_outlives_lines_that_come_and_go() {
    let prints = |jobs: &str| {
        let log: Json = serde_json::from_str(&in_a_checkout("sarif", None, jobs)).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.into_iter().map(|result| result["partialFingerprints"].to_string()).collect::<Vec<_>>()
    };
    let before = prints(JOBS);
    assert!(!before.is_empty());
    assert_eq!(before, prints(&format!("# a comment\n\n{JOBS}")));
    assert_ne!(before, prints(&JOBS.replace("postsync", "POSTSYNC")));
}

#[test]
fn a_finding_that_is_ignored_or_solved_does_not_count() {
    let report: Json = serde_json::from_str(&in_a_checkout("json", None, JOBS)).unwrap();
    let state = |name: &str, id: &str| {
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["object"]["name"] == name && finding["id"] == id);
        found.map(|finding| {
            [&finding["state"], &finding["by"], &finding["reason"]].map(|value| value.as_str().unwrap_or("").to_owned())
        })
    };
    let said = |words: [&str; 3]| Some(words.map(ToOwned::to_owned));
    assert_eq!(state("a", "unknown-hook"), said(["ignored", "annotation", "ours"]));
    assert_eq!(state("b", "unknown-hook"), said(["open", "", ""]));
    assert_eq!(state("c", "ttl-reruns"), said(["solved", "strategy `hash-name`", ""]));
}
