//! Runs the program as Argo CD's cmp-server does: in the Application's directory, with the sidecar's environment plus
//! Argo CD's variables, without standard input, with separate output streams, and killed at any moment.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use deployment::typed_settings::flagged;
use serde_json::{Value as Json, json};

use crate::support::plain::Plain;
use crate::support::scratch::Scratch;
#[cfg(target_os = "linux")]
use crate::support::{landlock, program};

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      \
                   containers: [{name: migrate, image: shop/migrate:1}]\n      restartPolicy: Never\n";

/// The plugin section of an Application, and the sidecar.
#[derive(Clone, Debug, Default)]
struct Plugin {
    /// The sidecar's own environment variables.
    sidecar: Vec<(&'static str, &'static str)>,
    /// The entries of `plugin.env`.
    env: Vec<(&'static str, &'static str)>,
    /// The entries of `plugin.parameters`; `None` for an Application without a plugin section.
    parameters: Option<Json>,
}

impl Plugin {
    fn with(parameters: Json) -> Self {
        Self { parameters: Some(parameters), ..Self::default() }
    }

    /// The whole environment, as `reposerver/repository/repository.go` and `cmpserver/plugin/plugin.go` build it.
    fn environment(&self) -> BTreeMap<String, String> {
        let mut entries: BTreeMap<String, String> = [
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            ("HOME", "/home/argocd"),
            ("HOSTNAME", "argocd-repo-server-7d5f"),
            ("ARGOCD_REPO_SERVER_SERVICE_HOST", "10.96.0.7"),
            ("KUBERNETES_SERVICE_HOST", "10.96.0.1"),
            ("ARGOCD_EXEC_TIMEOUT", "90s"),
            ("ARGOCD_APP_NAME", "shop"),
            ("ARGOCD_APP_NAMESPACE", "shop"),
            ("ARGOCD_APP_PROJECT_NAME", "default"),
            ("ARGOCD_APP_REVISION", "5f3c1d2e4b6a79808172635445362718091a2b3c"),
            ("ARGOCD_APP_REVISION_SHORT", "5f3c1d2"),
            ("ARGOCD_APP_REVISION_SHORT_8", "5f3c1d2e"),
            ("ARGOCD_APP_SOURCE_PATH", "source"),
            ("ARGOCD_APP_SOURCE_REPO_URL", "https://example.com/shop.git"),
            ("ARGOCD_APP_SOURCE_TARGET_REVISION", ""),
            ("KUBE_VERSION", "1.33.2"),
            ("KUBE_API_VERSIONS", "apps/v1,apps/v1/Deployment,batch/v1,batch/v1/Job"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        entries.extend(self.sidecar.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        entries.extend(self.env.iter().map(|(name, value)| (format!("ARGOCD_ENV_{name}"), (*value).to_owned())));
        if let Some(parameters) = &self.parameters {
            entries.insert("ARGOCD_APP_PARAMETERS".to_owned(), parameters.to_string());
            parameters.as_array().into_iter().flatten().for_each(|parameter| flatten(parameter, &mut entries));
        }
        entries
    }

    /// Prepares a subcommand in `dir`.
    fn command(&self, dir: &Path, arguments: &[&str]) -> Command {
        let mut command = program::program(dir);
        command.args(arguments).envs(self.environment()).stdin(Stdio::null());
        command
    }

    fn run(&self, dir: &Path, arguments: &[&str]) -> program::Output {
        let output = self.command(dir, arguments).output().unwrap();
        program::Output {
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code(),
        }
    }

    /// The output of `generate`, which must succeed without a message.
    fn generate(&self, dir: &Path, arguments: &[&str]) -> String {
        let output = self.run(dir, &[&["generate"], arguments].concat());
        assert!(output.is_quiet_success(), "{self:?} {arguments:?}: {output:?}");
        output.text()
    }
}

/// The variables `PARAM_<NAME>`, `PARAM_<NAME>_<KEY>` and `PARAM_<NAME>_<i>`.
fn flatten(parameter: &Json, entries: &mut BTreeMap<String, String>) {
    let escape = |name: &str| -> String {
        let upper = name.to_uppercase();
        upper.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    };
    let name = format!("PARAM_{}", escape(parameter["name"].as_str().unwrap()));
    let mut enter = |key: String, value: &Json| drop(entries.insert(key, value.as_str().unwrap().to_owned()));
    if parameter["string"].is_string() {
        enter(name.clone(), &parameter["string"]);
    }
    for (key, value) in parameter["map"].as_object().into_iter().flatten() {
        enter(format!("{name}_{}", escape(key)), value);
    }
    for (index, value) in parameter["array"].as_array().into_iter().flatten().enumerate() {
        enter(format!("{name}_{index}"), value);
    }
}

/// An Application's directory with a single Job.
fn application(job: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("job.yaml", job);
    scratch
}

fn annotated(lines: &str) -> String {
    JOB.replace("  name: migrate\nspec", &format!("  name: migrate\n  annotations:\n{lines}spec"))
}

#[test]
fn parameters_change_the_output_and_so_does_the_command_line() {
    let app = application(JOB);
    let plain = Plugin::with(Json::Null);
    assert_eq!(plain.generate(&app.source(), &[]), Plugin::default().generate(&app.source(), &[]), "null is none");
    let parameters = json!([{"name": "strategy", "string": "hook"}, {"name": "hook", "string": "PreSync"}]);
    let by_parameters = Plugin::with(parameters).generate(&app.source(), &[]);
    assert!(by_parameters.contains("argocd.argoproj.io/hook: PreSync\n"), "{by_parameters}");
    assert_ne!(by_parameters, plain.generate(&app.source(), &[]));
    assert_eq!(by_parameters, plain.generate(&app.source(), &["--set", "strategy=hook", "--set", "hook=PreSync"]));
    let env = vec![("ARGOCD_JOBS_STRATEGY", "hook"), ("ARGOCD_JOBS_HOOK", "PreSync")];
    let by_env = Plugin { env, ..Plugin::default() }.generate(&app.source(), &[]);
    assert_eq!(by_parameters, by_env);
}

/// The repo-server sends no `.git` if `--plugin-tar-exclude` says so, and only a part of the repository with `manifest-generate-paths`.
#[test]
fn a_link_is_followed_in_the_part_of_the_repository_that_is_sent() {
    let sent = Plain::new();
    sent.write("apps/shared/migrate.yaml", JOB);
    sent.link("apps/shop/migrate.yaml", "../shared/migrate.yaml");
    let app = sent.path().join("apps/shop");
    for path in ["apps/shop", "team/apps/shop", "shop"] {
        let mut command = Plugin::default().command(&app, &["generate"]);
        command.env("ARGOCD_APP_SOURCE_PATH", path);
        let output = program::run(command, b"");
        assert!(output.is_quiet_success(), "{path}: {output:?}");
    }
    let mut command = Plugin::default().command(&app, &["generate"]);
    command.env("ARGOCD_APP_SOURCE_PATH", "other");
    assert_eq!(program::run(command, b"").status, Some(2));
}

#[test]
fn an_annotation_beats_both_and_a_lock_beats_the_annotation() {
    let app = application(&annotated("    argocd-jobs/strategy: keep\n"));
    let asked = Plugin::with(json!([{"name": "strategy", "string": "hook"}]));
    assert_eq!(
        asked.generate(&app.source(), &["--set", "strategy=hash-name"]),
        annotated("    argocd-jobs/strategy: keep\n")
    );
    let sidecar = vec![("ARGOCD_JOBS_STRATEGY", "replace"), ("ARGOCD_JOBS_LOCK", "strategy")];
    let locked = Plugin { sidecar, ..asked }.generate(&app.source(), &["--set", "strategy=hash-name"]);
    assert!(locked.contains("Force=true,Replace=true"), "{locked}");
}

#[test]
fn a_summary_is_one_line_about_what_was_rendered_and_none_about_an_error() {
    let app = application(JOB);
    let run = |parameters: Json| {
        let mut command = Plugin::with(parameters).command(&app.source(), &["generate", "--summary"]);
        command.env("ARGOCD_APP_NAME", "shop");
        program::run(command, b"")
    };
    let output = run(json!([{"name": "strategy", "string": "hook"}]));
    let (said, seconds) = output.stderr.trim_end().split_once(" seconds=").unwrap();
    assert_eq!(said, "application=shop source=directory jobs=1 strategies=hook:1");
    assert!(seconds.parse::<f64>().is_ok_and(|seconds| seconds < 60.0), "{seconds}");
    let output = run(json!([{"name": "strategy", "string": "none"}]));
    assert_eq!(output.status, Some(2));
    assert!(!output.stderr.contains("application="), "{}", output.stderr);
}

#[test]
fn parameters_of_another_plugin_are_not_read_from_standard_input() {
    let theirs =
        Plugin::with(json!([{"name": "lovely_kustomize_path", "string": "x"}, {"name": "strategy", "map": {}}]));
    let theirs = Plugin { env: vec![("LOVELY_PLUGINS", "argocd-jobs generate -")], ..theirs };
    let dir = Scratch::new();
    let mut command = program::program(&dir.source());
    command.args(["generate", "-", "--strategy", "keep"]).envs(theirs.environment());
    let output = program::run(command, JOB.as_bytes());
    assert!(output.is_quiet_success(), "{output:?}");
    assert_eq!(output.text(), JOB);
    let mut command = program::program(&dir.source());
    command.args(["generate", "-", "--application-parameters"]).envs(theirs.environment());
    let output = program::run(command, JOB.as_bytes());
    assert_eq!((output.status, output.stdout.len()), (Some(2), 0));
    assert_eq!(
        output.stderr,
        "unknown parameter `lovely_kustomize_path`\nhelp: `argocd-jobs generate --help` shows all parameters\n"
    );
}

/// Whether the entry has only fields of `ParameterAnnouncement`, with the right types.
fn is_announcement(entry: &Json) -> bool {
    let is_text = |value: &Json| value.is_string();
    let fields = entry.as_object().unwrap();
    let known = fields.iter().all(|(key, value)| match key.as_str() {
        "name" | "title" | "tooltip" | "string" => value.is_string(),
        "itemType" => ["string", "number", "boolean"].iter().any(|known| value == known),
        "collectionType" => ["string", "array", "map"].iter().any(|known| value == known),
        "required" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|items| items.iter().all(is_text)),
        "map" => value.as_object().is_some_and(|map| map.values().all(is_text)),
        _ => false,
    });
    known
        && entry["collectionType"].as_str().is_some_and(|collection| fields.contains_key(collection))
        && fields.len() == 7
}

#[test]
fn the_announcement_is_argo_cds_and_shows_what_holds() {
    let app = application(JOB);
    app.write(
        ".argocd-jobs.yaml",
        "strip-template-labels: [helm.sh/chart]\nbaseline: {migrate: t5f75288t5}\nhook: PostSync\n",
    );
    let plugin = Plugin {
        sidecar: vec![("ARGOCD_JOBS_STRATEGY", "hook"), ("ARGOCD_JOBS_HOOK", "PreSync")],
        env: vec![("ARGOCD_JOBS_TTL", "60")],
        // The announcement ignores the Application's own parameters, so that the UI still works when one of them is
        // wrong.
        parameters: Some(json!([{"name": "nonsense", "string": "x"}])),
    };
    let output = plugin.run(&app.source(), &["parameters"]);
    assert!(output.is_quiet_success(), "{output:?}");
    let announced: Vec<Json> = serde_json::from_slice(&output.stdout).unwrap();
    announced.iter().for_each(|entry| assert!(is_announcement(entry), "{entry}"));
    let value = |name: &str, field: &str| announced.iter().find(|entry| entry["name"] == name).unwrap()[field].clone();
    assert_eq!(value("strategy", "string"), "hook");
    assert_eq!(value("hook", "string"), "PostSync");
    assert_eq!(value("ttl", "string"), "60");
    assert_eq!(value("wave", "string"), "");
    assert_eq!(value("strip-template-labels", "array"), json!(["helm.sh/chart"]));
    assert_eq!(value("baseline", "map"), json!({"migrate": "t5f75288t5"}));
}

#[test]
fn what_is_announced_can_be_sent_back() {
    let app = application(JOB);
    let output = Plugin::default().run(&app.source(), &["parameters"]);
    let announced: Vec<Json> = serde_json::from_slice(&output.stdout).unwrap();
    let back = announced.iter().map(|entry| {
        let collection = entry["collectionType"].as_str().unwrap();
        json!({"name": entry["name"], collection: entry[collection]})
    });
    let back = Plugin::with(back.collect());
    assert_eq!(back.generate(&app.source(), &[]), Plugin::default().generate(&app.source(), &[]));
}

#[test]
fn discover_prints_the_marker_and_never_fails() {
    let app = application(JOB);
    let output = Plugin::default().run(&app.source(), &["discover"]);
    assert!(output.is_quiet_success() && output.stdout.is_empty(), "{output:?}");
    app.write(".argocd-jobs.yaml", "nonsense: [\n");
    let output = Plugin::default().run(&app.source(), &["discover"]);
    assert!(output.is_quiet_success(), "{output:?}");
    assert_eq!(output.text(), ".argocd-jobs.yaml\n");
}

/// The plugin's container starts like this: it prints once what the kernel supports, and then becomes the server.
#[cfg(target_os = "linux")]
#[test]
fn the_sidecar_says_how_tools_are_confined_and_becomes_the_server() {
    let app = application(JOB);
    let start = |arguments: &[&str]| {
        let words = ["sidecar", "/bin/sh", "-c", "echo $$ \"$@\"; exit 7", "sh"];
        let mut command = program::program(&app.source());
        command.args(words).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let own = child.id();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{own} --config-dir-path x\n"));
        assert_eq!(output.status.code(), Some(7));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = start(&["--config-dir-path", "x"]);
    assert!(said.starts_with("argocd-jobs 0.1.0: ") && said.lines().count() == 1, "{said}");
    let has_landlock = said.contains("the kernel (Landlock) keeps helm and kustomize inside the repository; ");
    assert_eq!(has_landlock, confined::wall() == confined::Wall::Kernel, "{said}");
    landlock::deny();
    let said = start(&["--config-dir-path", "x"]);
    assert!(said.contains("this kernel has no Landlock: the plugin reads charts and kustomizations before"), "{said}");
    let wrong = Plugin { sidecar: vec![("ARGOCD_JOBS_RENDER_MEMORY", "much")], ..Plugin::default() };
    let output = wrong.run(&app.source(), &["sidecar", "/bin/echo", "served"]);
    assert!(output.text() == "served\n" && output.status == Some(0), "{}", output.stderr);
    let output = Plugin::default().run(&app.source(), &["sidecar", "/no/server"]);
    assert!(output.status == Some(2) && output.stderr.contains("cannot start `/no/server`: "), "{}", output.stderr);
}

#[test]
fn a_failure_says_one_thing_on_standard_error_and_nothing_else() {
    let app = application("kind: Job\n---\n{");
    let output = Plugin::default().run(&app.source(), &["generate"]);
    assert_eq!((output.status, output.stdout.len()), (Some(2), 0));
    assert!(output.stderr.starts_with("job.yaml:") && output.stderr.lines().count() <= 2, "{}", output.stderr);
}

#[test]
fn killed_at_any_moment_it_leaves_nothing_behind() {
    let app = Scratch::new();
    for index in 0..2000 {
        app.write(&format!("{index}.yaml"), JOB.replace("migrate", &format!("job-{index}")));
    }
    let files = |dir: &Path| fs::read_dir(dir).unwrap().count();
    let temporary = Scratch::new();
    let mut killed = 0;
    for wait in [0, 200, 500, 1000, 2000, 4000, 8000, 16_000, 32_000] {
        let mut command = Plugin::default().command(&app.source(), &["generate"]);
        let mut child =
            command.env("TMPDIR", temporary.source()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(wait));
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
    }
    assert!(killed > 0, "no run was still going when it was killed");
    assert_eq!(files(&app.source()), 2000);
    assert_eq!(files(&temporary.source()), 0);
}

#[test]
fn completions_and_schema_know_every_parameter() {
    let (dir, chart, kustomization) = (Scratch::new(), Scratch::new(), Scratch::new());
    chart.write("Chart.yaml", "");
    kustomization.write("kustomization.yaml", "");
    let announced = |dir: &Scratch| -> Vec<Json> {
        serde_json::from_slice(&Plugin::default().run(&dir.source(), &["parameters"]).stdout).unwrap()
    };
    let name = |entry: &Json| entry["name"].as_str().unwrap().to_owned();
    let is_for = |entry: &Json, tool: &str| name(entry).starts_with(tool);
    let plain = announced(&dir);
    assert!(plain.iter().all(|entry| !is_for(entry, "helm") && !is_for(entry, "kustomize")));
    let (mut announced, of_kustomize) = (announced(&chart), announced(&kustomization));
    assert_eq!(announced[..plain.len()], plain);
    assert!(announced[plain.len()..].iter().all(|entry| is_for(entry, "helm")));
    assert!(of_kustomize[plain.len()..].iter().all(|entry| is_for(entry, "kustomize")));
    announced.extend_from_slice(&of_kustomize[plain.len()..]);
    let schema: Json = serde_json::from_slice(&Plugin::default().run(&dir.source(), &["schema"]).stdout).unwrap();
    let (top, rule) = (&schema["properties"], &schema["properties"]["rules"]["items"]["properties"]);
    assert_eq!(top.as_object().unwrap().len(), announced.len() + 3, "the parameters, `rules`, `ignore` and `$schema`");
    assert!(top["ignore"]["items"]["enum"].as_array().unwrap().contains(&"unknown-hook".into()));
    assert_eq!(top["ignore"]["items"], rule["ignore"]["items"]);
    assert!(rule["base-name"].is_object() && rule["match"].is_object() && !rule["recurse"].is_object());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Plugin::default().run(&dir.source(), &["completions", shell]).text();
        for name in announced.iter().map(|entry| entry["name"].as_str().unwrap()) {
            assert!(top[name].is_object(), "{name} in the schema");
            let has_flag = flagged().any(|parameter| parameter.name == name);
            assert!(!has_flag || script.contains(name), "{name} for {shell}");
        }
        let has_values = script.contains("generate-name") && script.contains("PostSync");
        if shell == "bash" {
            let words = script.matches("PreSync Sync PostSync SyncFail").count();
            assert!(words >= 3, "values for `generate`, `preview` and `check`, not {words} times");
            assert!(script.contains("unknown-hook"), "ids for `explain`");
            for state in script.split("cmd=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(state.is_empty() || script.contains(&format!(" {state})\n")), "no arm for the state {state}");
            }
        }
        assert!(has_values || ["elvish", "powershell"].contains(&shell), "values for {shell}");
    }
}
