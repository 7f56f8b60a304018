//! Simulates GitHub's runner as far as `action.yml` needs it: evaluates conditions and environments, runs each step
//! with bash in a workspace, and collects outputs, log and summary.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::expression::{evaluate, interpolate, is_true};
use super::server::Server;
use crate::support::scratch::Scratch;
use crate::support::switches;

/// The token, which only one step may get.
pub(super) const TOKEN: &str = "ghs_the.token-of_this-run";

/// A job that uses the action.
pub(super) struct Job {
    /// The folder for everything; its `source` is the workspace.
    pub(super) scratch: Scratch,
    /// The simulated GitHub.
    pub(super) server: Server,
    /// The folder of the action.
    pub(super) action: PathBuf,
    /// The inputs that the workflow passes.
    pub(super) inputs: BTreeMap<String, String>,
    /// The context `github`, with the event.
    pub(super) github: Value,
    /// The `PATH` of the runner.
    pub(super) path: OsString,
}

/// The result of a run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The exit status of the step that failed; otherwise 0.
    pub(super) status: i32,
    /// Standard output and standard error of all steps.
    pub(super) log: String,
    /// The text that the steps wrote into the job summary.
    pub(super) summary: String,
    /// The ids of the steps that ran.
    pub(super) ran: Vec<String>,
    /// The outputs of the action.
    pub(super) outputs: BTreeMap<String, String>,
}

impl Outcome {
    /// The lines that GitHub's runner executes as commands (`ActionCommand.TryParseV2` and `TryParse` in
    /// actions/runner).
    pub(super) fn commands(&self) -> Vec<&str> {
        self.log.lines().filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
    }
}

/// A YAML file of this repository.
pub(super) fn yaml(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

impl Job {
    /// A job for a pull request from a branch of the same repository, with the program under test.
    pub(super) fn new() -> Self {
        let github = json!({
            "event_name": "pull_request",
            "repository": "acme/shop",
            "token": TOKEN,
            "base_ref": "main",
            "workflow": "jobs",
            "job": "argocd-jobs",
            "event": {"pull_request": {"number": 7, "head": {"sha": "", "repo": {"full_name": "acme/shop"}}}},
        });
        let program = switches::program().display().to_string();
        Self {
            scratch: Scratch::new(),
            server: Server::start(),
            action: Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(),
            inputs: BTreeMap::from([("binary".to_owned(), program), ("plugin".to_owned(), "true".to_owned())]),
            github,
            path: switches::path(),
        }
    }

    pub(super) fn with(mut self, input: &str, value: &str) -> Self {
        self.inputs.insert(input.to_owned(), value.to_owned());
        self
    }

    /// Uses a copy of the action, at the tag of `version` in a repository on the server.
    pub(super) fn copy_action(&mut self, version: &str) {
        let copy = self.scratch.source().parent().unwrap().join("action-copy");
        fs::create_dir_all(copy.join("action")).unwrap();
        let repository = format!("{}/acme/argocd-jobs", self.server.url);
        let manifest =
            format!("[package]\nname = \"x\"\nversion = \"{version}\"\nrepository = \"{repository}\"\n\n[lib]\n");
        fs::write(copy.join("Cargo.toml"), manifest).unwrap();
        for entry in fs::read_dir(self.action.join("action")).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, copy.join("action").join(path.file_name().unwrap())).unwrap();
        }
        self.action = copy;
    }

    /// Runs all steps of the action.
    pub(super) fn run(&self) -> Outcome {
        let action = yaml("action.yml");
        let mut inputs = Map::default();
        for (name, input) in action["inputs"].as_object().unwrap() {
            inputs.insert(name.clone(), input["default"].clone());
        }
        for (name, value) in &self.inputs {
            assert!(inputs.insert(name.clone(), json!(value)).is_some(), "action.yml has no input `{name}`");
        }
        let mut contexts = json!({"inputs": inputs, "github": self.github, "steps": {}});
        let mut outcome =
            Outcome { status: 0, log: String::new(), summary: String::new(), ran: vec![], outputs: BTreeMap::new() };
        for step in action["runs"]["steps"].as_array().unwrap() {
            let id = step["id"].as_str().unwrap().to_owned();
            let condition = step.get("if").map_or("'x'", |condition| condition.as_str().unwrap()).trim();
            let condition = condition.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(condition);
            // A step whose condition has no status function runs only while no step has failed.
            let goes_on = outcome.status == 0 || condition.contains("!cancelled()");
            if !goes_on || !is_true(&evaluate(condition, &contexts)) {
                continue;
            }
            let outputs = self.step(step, &contexts, &mut outcome);
            contexts["steps"][&id] = json!({"outputs": outputs});
            outcome.ran.push(id);
        }
        for (name, output) in action["outputs"].as_object().unwrap() {
            outcome.outputs.insert(name.clone(), interpolate(output["value"].as_str().unwrap(), &contexts));
        }
        outcome
    }

    /// Runs a step and returns its outputs.
    fn step(&self, step: &Value, contexts: &Value, outcome: &mut Outcome) -> BTreeMap<String, String> {
        let temp = self.scratch.source().parent().unwrap().join("temp");
        fs::create_dir_all(&temp).unwrap();
        let (script, output, summary) = (temp.join("script.sh"), temp.join("output"), temp.join("summary"));
        fs::write(&script, step["run"].as_str().unwrap()).unwrap();
        fs::write(&output, "").unwrap();
        fs::write(&summary, "").unwrap();
        assert_eq!(step["shell"], "bash");
        let mut command = Command::new("bash");
        // `ScriptHandlerHelpers.cs` in actions/runner.
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(&script);
        command.current_dir(self.scratch.source()).env_clear().env("PATH", &self.path);
        command.envs(self.environment(&temp)).env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", &summary);
        for (name, value) in step["env"].as_object().unwrap() {
            command.env(name, interpolate(value.as_str().unwrap(), contexts));
        }
        let ended = command.output().unwrap();
        if outcome.status == 0 {
            outcome.status = ended.status.code().unwrap();
        }
        outcome.log.push_str(&String::from_utf8_lossy(&ended.stdout));
        outcome.log.push_str(&String::from_utf8_lossy(&ended.stderr));
        let written = fs::read(&summary).unwrap();
        // `AttachmentSizeLimit` in actions/runner.
        assert!(written.len() <= 1024 * 1024, "GitHub drops a summary of {} bytes", written.len());
        outcome.summary.push_str(&String::from_utf8(written).unwrap());
        let lines = fs::read_to_string(&output).unwrap();
        let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        lines.lines().map(|line| pair(line).unwrap_or_else(|| panic!("an output is `{line}`"))).collect()
    }

    /// The variables that the runner sets for every step.
    fn environment(&self, temp: &Path) -> Vec<(&'static str, String)> {
        let event = temp.join("event.json");
        fs::write(&event, self.github["event"].to_string()).unwrap();
        let of_github = |name: &str| self.github[name].as_str().unwrap_or_default().to_owned();
        let path = |path: &Path| path.display().to_string();
        vec![
            ("CI", "true".to_owned()),
            ("HOME", path(temp)),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GITHUB_ACTIONS", "true".to_owned()),
            // A workflow can set this variable for all steps.
            ("GH_TOKEN", TOKEN.to_owned()),
            ("GITHUB_ACTION_PATH", path(&self.action)),
            ("GITHUB_API_URL", self.server.url.clone()),
            ("GITHUB_SERVER_URL", self.server.url.clone()),
            ("GITHUB_BASE_REF", of_github("base_ref")),
            ("GITHUB_HEAD_REF", of_github("head_ref")),
            ("GITHUB_EVENT_NAME", of_github("event_name")),
            ("GITHUB_EVENT_PATH", path(&event)),
            ("GITHUB_JOB", of_github("job")),
            ("GITHUB_REPOSITORY", of_github("repository")),
            ("GITHUB_RUN_ID", "4711".to_owned()),
            ("GITHUB_SHA", of_github("sha")),
            ("GITHUB_WORKFLOW", of_github("workflow")),
            ("GITHUB_WORKSPACE", path(&self.scratch.source())),
            ("RUNNER_ARCH", "X64".to_owned()),
            ("RUNNER_OS", "Linux".to_owned()),
            ("RUNNER_TEMP", path(temp)),
        ]
    }
}
