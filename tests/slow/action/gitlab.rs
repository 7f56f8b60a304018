//! Runs `ci/gitlab.yml` as GitLab's runner does: inputs become variables, and the lines of a job run in one shell.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::checkout::{application, git, job, migration};
use super::runner::Job;
use crate::support::switches;

/// Texts with a meaning for a shell, a command line or GitLab.
const TEXTS: [&str; 8] = [
    "$(touch pwned)",
    "`touch pwned`",
    "\"; touch pwned; \"",
    "'; touch pwned; '",
    "a\ntouch pwned\n",
    "--format=json",
    "/close\n/close",
    "<!-- argocd-jobs: note 0 -->",
];

fn documents() -> (Value, String) {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/gitlab.yml")).unwrap();
    let (header, jobs) = text.split_once("\n---\n").unwrap();
    (serde_yaml::from_str(header).unwrap(), jobs.to_owned())
}

/// The declared inputs.
pub(super) fn inputs() -> Value {
    documents().0["spec"]["inputs"].clone()
}

/// The jobs under their default names, before inputs are inserted.
pub(super) fn template() -> Value {
    serde_yaml::from_str(&documents().1.replace("$[[ inputs.job ]]", "argocd-jobs")).unwrap()
}

/// Whether GitLab accepts a value for an input: it checks `type`, `options` and `regex`. An empty text matches no
/// `regex` (`UntrustedRegexp#match?`, GitLab 17.0).
pub(super) fn is_taken(row: &Value, value: &Value) -> bool {
    let is_option = row.get("options").is_none_or(|options| options.as_array().unwrap().contains(value));
    let matches = row.get("regex").is_none_or(|regex| {
        let text = value.as_str().unwrap_or_default();
        !text.trim().is_empty() && regex_lite::Regex::new(regex.as_str().unwrap()).unwrap().is_match(text)
    });
    value.is_array() == (row["type"] == "array") && is_option && matches
}

/// The jobs with these inputs; `None` if GitLab refuses them. GitLab inserts the inputs into the text and then parses
/// it: strings as they are, other values as JSON (`lib/gitlab/ci/config/interpolation/text_template.rb`).
fn interpolated(given: &BTreeMap<&'static str, Value>) -> Option<Value> {
    let (header, mut text) = documents();
    for (name, row) in header["spec"]["inputs"].as_object().unwrap() {
        let value = given.get(name.as_str()).unwrap_or(&row["default"]);
        if !is_taken(row, value) {
            return None;
        }
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text = text.replace(&format!("$[[ inputs.{name} ]]"), &value);
    }
    serde_yaml::from_str(&text).ok()
}

/// A merge request in the workspace of a GitHub job: repository and server are the same.
pub(super) struct Pipeline {
    pub(super) job: Job,
    pub(super) inputs: BTreeMap<&'static str, Value>,
    /// `CI_MERGE_REQUEST_DIFF_BASE_SHA`; outside of merge requests `CI_COMMIT_BEFORE_SHA`.
    pub(super) base: String,
    before: String,
}

impl Pipeline {
    pub(super) fn new(base: super::checkout::Files<'_>, branch: super::checkout::Files<'_>) -> Self {
        let mut job = Job::new();
        job.push_and_fetch(base, branch, 1);
        let commit = git(&job.origin(), &["rev-parse", "main"]);
        let program = switches::program().display().to_string();
        Self {
            job,
            inputs: BTreeMap::from([("binary", program.into()), ("plugin", "true".into())]),
            base: commit,
            before: "0".repeat(40),
        }
    }

    /// Runs a job of the template; returns its exit status and its log.
    pub(super) fn run(&self, name: &str) -> (i32, String) {
        let template = interpolated(&self.inputs).expect("GitLab takes the inputs");
        let script: Vec<&str> =
            template[name]["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &script.join("\n")]).current_dir(self.job.scratch.source()).env_clear();
        command.env("PATH", switches::path()).env("HOME", self.job.origin().parent().unwrap());
        for (variable, value) in template[name]["variables"].as_object().unwrap() {
            assert!(value.is_string() || value["expand"] == false, "{variable}");
            command.env(variable, value.get("value").unwrap_or(value).as_str().unwrap());
        }
        command.envs([
            ("CI_API_V4_URL", self.job.server.url.as_str()),
            ("CI_MERGE_REQUEST_PROJECT_ID", "5"),
            ("CI_MERGE_REQUEST_IID", "7"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", self.job.github["base_ref"].as_str().unwrap()),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", self.base.as_str()),
            ("CI_COMMIT_BEFORE_SHA", self.before.as_str()),
            ("CI_PROJECT_DIR", self.job.scratch.source().to_str().unwrap()),
            ("ARGOCD_NOTE_TOKEN", "glpat-x"),
        ]);
        // A runner passes the script to the shell on standard input: a program that reads it would read the script.
        let input = self.job.origin().with_extension("input");
        fs::write(&input, "what is on standard input").unwrap();
        let output = command.stdin(File::open(&input).unwrap()).output().unwrap();
        let log = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap(), log)
    }

    pub(super) fn run_both(&self) -> (i32, String) {
        let (status, log) = self.run("argocd-jobs");
        let (noted, of_note) = self.run("argocd-jobs-note");
        assert_eq!(noted, 0, "{log}{of_note}");
        (status, log)
    }

    fn report(&self) -> Value {
        let path = self.job.scratch.source().join("gl-code-quality-report.json");
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }
}

#[test]
fn the_verdict_is_that_of_the_action() {
    let wrong = migration("a:1").replace("\"migrate\"", "\"gate\", annotations: {argocd.argoproj.io/hook: presync}");
    for (fail_on, status) in [("error", 1), ("never", 0)] {
        let files = [("a/y.yaml", wrong.clone())];
        let mut pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &files);
        pipeline.inputs.insert("fail-on", fail_on.into());
        let (ended, log) = pipeline.run_both();
        assert_eq!(ended, status, "{log}");
        assert_eq!(pipeline.report()[0]["check_name"], "unknown-hook");
        let mut action = Job::new().with("fail-on", fail_on);
        action.push(&[("a/x.yaml", migration("a:1"))], &files);
        assert_eq!(action.run().status, status);
        let (note, comment) = (pipeline.job.server.comments().remove(0), action.server.comments().remove(0));
        let same = |text: &str| {
            text.split("\nFor commit").next().unwrap().split("\n<!--").next().unwrap().trim_end().to_owned()
        };
        assert_eq!(same(&note), same(&comment));
    }
}

#[test]
fn what_cannot_be_done_ends_with_status_2_and_a_note() {
    let files = [("a/y.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: `a\n/close\n".to_owned())];
    let mut pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &files);
    pipeline.inputs.insert("paths", json!(["a"]));
    let (status, log) = pipeline.run_both();
    assert_eq!(status, 2, "{log}");
    let note = pipeline.job.server.comments().remove(0);
    assert!(note.starts_with("### argocd-jobs could not do its work\n\n    a/y.yaml:3:"), "{note}");

    // An input with a wrong value.
    pipeline.inputs.insert("settings", json!(["trigger=maybe"]));
    let (status, log) = pipeline.run_both();
    assert_eq!(status, 2, "{log}");
    assert!(pipeline.job.server.comments().remove(0).contains("\n    parameter `trigger`: invalid value `maybe`"));
    assert!(
        !pipeline.job.scratch.source().join("gl-code-quality-report.json").exists(),
        "no report is not an empty one"
    );
}

#[test]
fn on_the_default_branch_there_is_a_report_and_no_note() {
    let mut pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[]);
    pipeline.base = String::new();
    let (status, log) = pipeline.run_both();
    assert_eq!((status, pipeline.report()), (0, Value::Array(vec![])), "{log}");
    assert!(pipeline.job.server.methods().is_empty());
}

#[test]
fn manifests_can_be_at_the_top_of_the_checkout() {
    let app = application("shop").replace("path: shop", "path: ., directory: {recurse: true}");
    for files in [
        vec![("x.yaml", migration("a:1"))],
        vec![("argo/app.yaml", app), ("x.yaml", migration("a:1")), ("deeper/y.yaml", job("deeper", "a:1"))],
    ] {
        let pipeline = Pipeline::new(&files, &[("x.yaml", migration("a:2"))]);
        pipeline.job.name_repository();
        // Run twice in one workspace, as on a runner that keeps it.
        for _ in 0..2 {
            let (status, log) = pipeline.run_both();
            assert_eq!((status, pipeline.report()), (0, json!([])), "{log}");
            let note = pipeline.job.server.comments().remove(0);
            assert!(note.contains("| runs again, as `migrate-"), "{note}{log}");
        }
    }
}

#[test]
fn on_the_default_branch_only_what_a_push_adds_counts() {
    let wrong =
        |name: &str| job(name, "a:1").replace("name: ", "annotations: {argocd.argoproj.io/hook: presync}, name: ");
    for (file, gone, status) in [("a/old.yaml", false, 0), ("a/new.yaml", false, 1), ("a/old.yaml", true, 1)] {
        let mut pipeline = Pipeline::new(&[("a/old.yaml", wrong("gate"))], &[(file, wrong("gate"))]);
        pipeline.before = std::mem::take(&mut pipeline.base);
        if gone {
            pipeline.before = "1".repeat(40);
        }
        let (ended, log) = pipeline.run("argocd-jobs");
        assert_eq!(ended, status, "{file}: {log}");
        assert_eq!(log.contains("warning: the commit before the push cannot be fetched"), gone, "{log}");
    }
}

#[test]
fn hostile_names_and_inputs_stay_text() {
    let names = ["paths", "strategy", "settings", "applications", "plugin", "fail-on", "binary", "sha256"];
    for (number, text) in TEXTS.into_iter().enumerate() {
        let name = text.replace('/', "_");
        let path = format!("{name}/{name}.yaml");
        let new = [(path.as_str(), migration("a:2")), ("b/x.yaml", job(text, "a:1"))];
        let mut pipeline = Pipeline::new(&[(path.as_str(), migration("a:1"))], &new);
        pipeline.job.github["base_ref"] = text.into();
        // GitLab accepts only values of one line, or lists.
        if !text.contains('\n') {
            pipeline.inputs.insert("key", text.into());
        }
        let (status, log) = pipeline.run_both();
        assert!(status < 2, "{text:?}: {log}");
        let note = pipeline.job.server.comments().remove(0);
        assert!(note.contains(&format!("compared with <code>{}</code>", pipeline.base)), "{note}");
        assert!((note.contains("again") || text.contains('\n')) && !note.contains("\n/"), "{text:?}: {note}");
        assert!(note.trim_end().lines().last().unwrap().starts_with("<!-- argocd-jobs: note "), "{text:?}: {note}");
        // Use each text in three of the inputs, in turn.
        for input in [0, 3, 6].map(|turn| names[(number + turn) % names.len()]) {
            let is_list = ["paths", "settings", "applications"].contains(&input);
            let value = if is_list { json!([text]) } else { text.into() };
            let otherwise = pipeline.inputs.insert(input, value);
            let has_options = ["strategy", "plugin", "fail-on"].contains(&input);
            let is_taken = is_list || !has_options && !text.contains('\n');
            assert_eq!(interpolated(&pipeline.inputs).is_some(), is_taken, "{input} {text:?}");
            if is_taken {
                let (status, log) = pipeline.run("argocd-jobs");
                // No archive has this checksum. A folder with this name exists, unless the name has a line break.
                let is_good = input == "sha256" || (input == "paths" && !text.contains('\n'));
                assert_eq!(status < 2, is_good, "{input} {text:?}: {log}");
            }
            match otherwise {
                Some(value) => pipeline.inputs.insert(input, value),
                None => pipeline.inputs.remove(input),
            };
        }
        let top = pipeline.job.origin().parent().unwrap().to_owned();
        let mut files = walkdir::WalkDir::new(top).into_iter().map(Result::unwrap);
        assert!(files.all(|entry| entry.file_name() != "pwned"), "{text:?} ran");
    }
}

#[test]
fn a_list_has_several_items_with_quotes_and_backslashes() {
    let files =
        |image: &str| [("a/x.yaml", job("a", image)), ("b c/x.yaml", job("b", image)), ("d/x.yaml", job("d", image))];
    let mut pipeline = Pipeline::new(&files("x:1"), &files("x:2"));
    // The action accepts the same values as lines.
    for paths in [json!(["a", "b c"]), json!(["a\r\nb c\r\n"])] {
        pipeline.inputs.insert("paths", paths);
        let (status, log) = pipeline.run_both();
        assert_eq!(status, 0, "{log}");
        let note = pipeline.job.server.comments().remove(0);
        let verdict = "### `a` runs 1 Job; `b c` runs 1 Job";
        assert_eq!(note.lines().next(), Some(verdict), "{log}");
    }
    let text = "trigger=\"a\\n\"'b' \\";
    pipeline.inputs.insert("settings", json!([text, "strategy=hook"]));
    let (status, log) = pipeline.run("argocd-jobs");
    assert_eq!(status, 2, "{log}");
    let arguments = fs::read_to_string(pipeline.job.scratch.source().join("argocd-jobs-report/arguments")).unwrap();
    assert_eq!(arguments, format!("--set={text}\n--set=strategy=hook\n--\na\nb c\n"));

    pipeline.inputs.insert("binary", "no \"such\\n' program: #".into());
    let (status, log) = pipeline.run("argocd-jobs");
    assert!(status == 2 && log.contains("no \"such\\n' program: #"), "{log}");
    for (input, value) in [("paths", "a".into()), ("binary", "".into()), ("job", "a: b\"".into())] {
        pipeline.inputs.insert(input, value);
        assert!(interpolated(&pipeline.inputs).is_none(), "{input}");
        pipeline.inputs.remove(input);
    }
}

#[test]
fn a_link_in_the_checkout_leads_the_report_nowhere() {
    for name in ["gl-code-quality-report.json", "argocd-jobs-report"] {
        let pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[]);
        let workspace = pipeline.job.scratch.source();
        let victim = workspace.parent().unwrap().join("victim");
        fs::write(&victim, "mine").unwrap();
        symlink("../victim", workspace.join(name)).unwrap();
        let (status, log) = pipeline.run("argocd-jobs");
        assert_eq!((status, pipeline.report()), (0, json!([])), "{log}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine", "{name}");
        assert!(!fs::symlink_metadata(workspace.join(name)).unwrap().is_symlink(), "{name}");
    }
}

#[test]
fn standard_input_is_no_path_and_is_not_read() {
    let mut pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[]);
    pipeline.inputs.insert("paths", json!(["a", "-"]));
    let (status, log) = pipeline.run("argocd-jobs");
    assert!(status == 2 && log.contains("error: `-` is not a path\nhelp: "), "{log}");

    // A program that reads all of standard input, and prints more errors than fit into a note.
    let program = pipeline.job.scratch.source().parent().unwrap().join("program");
    fs::write(&program, "#!/bin/sh\ncat >>\"$0.input\"\nhead -c 2000000 /dev/zero | tr '\\0' x >&2\nexit 2\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    pipeline.inputs.extend([("binary", program.display().to_string().into()), ("paths", json!(["a"]))]);
    pipeline.inputs.insert("note", "always".into());
    let (status, log) = pipeline.run_both();
    assert_eq!(
        (status, fs::read_to_string(program.with_extension("input")).unwrap().as_str()),
        (2, ""),
        "{}",
        &log[..500]
    );
    let note = pipeline.job.server.comments().remove(0);
    assert!((60_000..65_536).contains(&note.len()), "{} bytes", note.len());
}

#[test]
fn an_application_says_which_folder_is_read() {
    let files = [("argo/a.yaml", application("a")), ("a/x.yaml", job("a", "x:1")), ("b/x.yaml", job("b", "x:1"))];
    let mut pipeline = Pipeline::new(&files, &[("a/x.yaml", job("a", "x:2")), ("b/x.yaml", job("b", "x:2"))]);
    pipeline.job.name_repository();
    pipeline.inputs.insert("applications", json!(["argo/a.yaml"]));
    for paths in [json!(["."]), json!([]), json!([""])] {
        pipeline.inputs.insert("paths", paths);
        let (status, log) = pipeline.run_both();
        assert_eq!(status, 0, "{log}");
        let note = pipeline.job.server.comments().remove(0);
        assert!(
            note.contains("### 1 Job runs again at the next sync\n")
                && note.contains("compared with <code>main</code>"),
            "{note}"
        );
        assert!(note.contains("\n`check`: no "), "{note}");
    }
    pipeline.inputs.insert("paths", json!(["a"]));
    let (status, log) = pipeline.run("argocd-jobs");
    let error = "error: `applications` and `paths` cannot be used together\nhelp: remove `paths`: ";
    assert!(status == 2 && log.contains(error), "{log}");
}
