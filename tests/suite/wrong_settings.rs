//! Wrong settings in each layer: an unknown name, an unknown value, a wrong type, a malformed text. Each gives
//! exactly the error in the table, status 2, and no output. The JSON schema of the config file, for editors, agrees.

use std::fs;
use std::path::Path;

use rewrite::settings::{CONFIG_FILE, ConfigFile};
use serde_json::Value as Json;
use system::PathText;

use crate::support::scratch::Scratch;
use crate::support::{json_schema, program};

/// A wrong setting, by layer.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// A variable of the environment.
    Variable(&'static str),
    /// The parameters of the Application, as JSON.
    Parameters(&'static str),
    /// The text of the config file.
    File(&'static str),
    /// Arguments of the command line, separated by blanks.
    Typed(&'static str),
    /// A line in the Job's annotations.
    Annotation(&'static str),
}
use Wrong::{Annotation, File, Parameters, Typed, Variable};

const STRATEGIES: &str = "`auto`, `hash-name`, `hook`, `generate-name`, `replace` or `keep`";
const PHASES: &str = "a comma-separated list of `PreSync`, `Sync`, `PostSync`, `SyncFail`";
const SECONDS: &str = "a whole number of seconds from 0 to 2147483647, for example 3600";
const BASELINE: &str = "a map from `namespace/name` or `name` to content hashes, or a comma-separated list of `name=hash`; on a Job, its hash";
const NAMES: &str = "a comma-separated list of parameter names, or of paths such as `helm.kubeVersion`";
const HASH: &str = "a content hash: ten characters, each one of `2456789bcdfghkmt`";

/// In expected messages, `<S>`, `<P>`, `<N>`, `<B>`, `<L>` and `<H>` are placeholders for the texts above.
#[rustfmt::skip]
const TABLE: [(Wrong, &str); 98] = [
    // The sidecar's environment.
    (Variable("ARGOCD_JOBS_STRATGY=hook"), "unknown environment variable `ARGOCD_JOBS_STRATGY`\nhelp: did you mean `ARGOCD_JOBS_STRATEGY`?"),
    (Variable("ARGOCD_JOBS_strategy=hook"), "unknown environment variable `ARGOCD_JOBS_strategy`\nhelp: did you mean `ARGOCD_JOBS_STRATEGY`?"),
    (Variable("ARGOCD_JOBS_FROBNICATE=1"), "unknown environment variable `ARGOCD_JOBS_FROBNICATE`\nhelp: `argocd-jobs generate --help` shows all parameters"),
    (Variable("ARGOCD_JOBS_BASE_NAME=a"), "environment variable `ARGOCD_JOBS_BASE_NAME` cannot be set here\nhelp: `base-name` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `argocd-jobs/base-name`"),
    (Variable("ARGOCD_JOBS_STRATEGY=Hook"), "environment variable `ARGOCD_JOBS_STRATEGY`: invalid value `Hook`, expected <S>\nhelp: did you mean `hook`?"),
    (Variable("ARGOCD_JOBS_HOOK=PreSync, Skip"), "environment variable `ARGOCD_JOBS_HOOK`: invalid value `Skip`, expected <P>"),
    (Variable("ARGOCD_JOBS_KEEP_NAME=yes"), "environment variable `ARGOCD_JOBS_KEEP_NAME`: invalid value `yes`, expected `true` or `false`"),
    (Variable("ARGOCD_JOBS_TTL=1h"), "environment variable `ARGOCD_JOBS_TTL`: invalid value `1h`, expected <N>"),
    (Variable("ARGOCD_JOBS_WAVE=+1"), "environment variable `ARGOCD_JOBS_WAVE`: invalid value `+1`, expected a whole number from -2147483648 to 2147483647"),
    (Variable("ARGOCD_JOBS_DEADLINE=0"), "environment variable `ARGOCD_JOBS_DEADLINE`: invalid value `0`, expected a whole number of seconds from 1 to 2147483647, for example 1800"),
    (Variable("ARGOCD_JOBS_BASELINE=migrate"), "environment variable `ARGOCD_JOBS_BASELINE`: invalid value `migrate`, expected <B>"),
    (Variable("ARGOCD_JOBS_BASELINE=a=t5f75288t5,a=t5f75288t5"), "environment variable `ARGOCD_JOBS_BASELINE`: invalid value `a`, expected every name only once"),
    (Variable("ARGOCD_JOBS_BASELINE=a/b/c=t5f75288t5"), "environment variable `ARGOCD_JOBS_BASELINE`: invalid value `a/b/c`, expected <B>"),
    (Variable("ARGOCD_JOBS_PRUNE=never"), "environment variable `ARGOCD_JOBS_PRUNE`: invalid value `never`, expected `default` or `keep`"),
    (Variable("ARGOCD_JOBS_TRIGGER_NAME=Our_Trigger"), "environment variable `ARGOCD_JOBS_TRIGGER_NAME`: invalid value `Our_Trigger`, expected a name of at most 253 lower-case letters, digits, `-` and `.`"),
    (Variable("ARGOCD_JOBS_SOURCE=helmfile"), "environment variable `ARGOCD_JOBS_SOURCE`: invalid value `helmfile`, expected `auto`, `directory`, `kustomize` or `helm`"),
    (Variable("ARGOCD_JOBS_STRIP_TEMPLATE_LABELS=a b"), "environment variable `ARGOCD_JOBS_STRIP_TEMPLATE_LABELS`: invalid value `a b`, expected a list of label keys"),
    // Locks.
    (Variable("ARGOCD_JOBS_LOCK=strategy,hooks"), "environment variable `ARGOCD_JOBS_LOCK`: invalid value `hooks`, expected <L>\nhelp: did you mean `hook`?"),
    (Variable("ARGOCD_JOBS_LOCK=everything"), "environment variable `ARGOCD_JOBS_LOCK`: invalid value `everything`, expected <L>"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_LOCK=strategy"), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_LOCK`: an Application cannot lock parameters\nhelp: only the platform owner can lock parameters: with the variable `ARGOCD_JOBS_LOCK` of the sidecar"),
    // The Application's environment.
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_STRATGY=hook"), "unknown environment variable `ARGOCD_ENV_ARGOCD_JOBS_STRATGY`\nhelp: did you mean `ARGOCD_ENV_ARGOCD_JOBS_STRATEGY`?"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_SERVICE_HOST=x"), "unknown environment variable `ARGOCD_ENV_ARGOCD_JOBS_SERVICE_HOST`\nhelp: `argocd-jobs generate --help` shows all parameters"),
    (Variable("ARGOCD_ENV_ARGOCD_ENV_ARGOCD_JOBS_STRATEGY=hook"), "unknown environment variable `ARGOCD_ENV_ARGOCD_ENV_ARGOCD_JOBS_STRATEGY`\nhelp: Argo CD adds `ARGOCD_ENV_` to every name in `plugin.env`; write `ARGOCD_JOBS_STRATEGY` there"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_STRATEGY=hash_name"), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_STRATEGY`: invalid value `hash_name`, expected <S>\nhelp: did you mean `hash-name`?"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_TTL=-1"), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_TTL`: invalid value `-1`, expected <N>"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_TRIGGER=0"), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_TRIGGER`: invalid value `0`, expected `true` or `false`"),
    (Variable("ARGOCD_ENV_ARGOCD_JOBS_BASE_NAME=a"), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_BASE_NAME` cannot be set here\nhelp: `base-name` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `argocd-jobs/base-name`"),
    // The Application's parameters.
    (Parameters("[{\"name\":\"stratgy\",\"string\":\"hook\"}]"), "unknown parameter `stratgy`\nhelp: did you mean `strategy`?"),
    (Parameters("[{\"name\":\"base-name\",\"string\":\"a\"}]"), "parameter `base-name` cannot be set here\nhelp: `base-name` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `argocd-jobs/base-name`"),
    (Parameters("[{\"name\":\"strategy\",\"string\":\"hok\"}]"), "parameter `strategy`: invalid value `hok`, expected <S>\nhelp: did you mean `hook`?"),
    (Parameters("[{\"name\":\"strategy\",\"string\":\"\"}]"), "parameter `strategy`: the value is empty, expected <S>"),
    (Parameters("[{\"name\":\"strategy\",\"array\":[\"hook\"]}]"), "parameter `strategy` is a list, expected a string"),
    (Parameters("[{\"name\":\"ttl\",\"map\":{\"a\":\"b\"}}]"), "parameter `ttl` is a map, expected a whole number"),
    (Parameters("[{\"name\":\"ttl\",\"string\":60}]"), "parameter `ttl` is a number, expected a string"),
    (Parameters("[{\"name\":\"hook\",\"array\":[\"PreSync\",\"presync\"]}]"), "parameter `hook`: invalid value `presync`, expected <P>\nhelp: did you mean `PreSync`?"),
    (Parameters("[{\"name\":\"hook\",\"array\":[]}]"), "parameter `hook`: invalid value `[]`, expected <P>"),
    (Parameters("[{\"name\":\"hook\",\"array\":[1]}]"), "parameter `hook` is a number, expected a list of strings"),
    (Parameters("[{\"name\":\"hook\",\"array\":\"PreSync\"}]"), "parameter `hook` is a string, expected a list"),
    (Parameters("[{\"name\":\"baseline\",\"array\":[\"a\"]}]"), "parameter `baseline` is a list, expected a map"),
    (Parameters("[{\"name\":\"baseline\",\"map\":{\"a\":\"abc\"}}]"), "parameter `baseline`: invalid value `abc`, expected <B>"),
    (Parameters("[{\"name\":\"strip-template-labels\",\"map\":{}}]"), "parameter `strip-template-labels` is a map, expected a list"),
    (Parameters("[{\"name\":\"strategy\"}]"), "parameter `strategy` has no value\nhelp: give the parameter a `string`, an `array` or a `map`"),
    (Parameters("[{\"name\":\"strategy\",\"value\":\"hook\"}]"), "parameter `strategy` has no value\nhelp: give the parameter a `string`, an `array` or a `map`"),
    (Parameters("[{\"name\":\"hook\",\"string\":\"Sync\",\"array\":[\"Sync\"]}]"), "parameter `hook` has more than one value\nhelp: keep one of `string`, `array` and `map`"),
    (Parameters("[{\"name\":\"hook\",\"string\":\"Sync\"},{\"name\":\"hook\",\"string\":\"Sync\"}]"), "parameter `hook` is set twice\nhelp: merge the two entries, or remove one of them"),
    (Parameters("[{\"string\":\"Sync\"}]"), "environment variable `ARGOCD_APP_PARAMETERS`: item 0 is not an object with a `name`"),
    (Parameters("{\"strategy\":\"hook\"}"), "environment variable `ARGOCD_APP_PARAMETERS`: the JSON is a map, expected an array of parameters"),
    (Parameters("[{\"name\""), "environment variable `ARGOCD_APP_PARAMETERS`: invalid JSON: EOF while parsing an object at line 1 column 8"),
    // The config file.
    (File("stratgy: hook\n"), ".argocd-jobs.yaml:1:1: unknown key `stratgy`\nhelp: did you mean `strategy`?"),
    (File("# here\nbase-name: a\n"), ".argocd-jobs.yaml:2:1: key `base-name` cannot be set here\nhelp: `base-name` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `argocd-jobs/base-name`"),
    (File("strategy: hock\n"), ".argocd-jobs.yaml:1:11: key `strategy`: invalid value `hock`, expected <S>\nhelp: did you mean `hook`?"),
    (File("hook: [PreSync, Snyc]\n"), ".argocd-jobs.yaml:1:17: key `hook`: invalid value `Snyc`, expected <P>\nhelp: did you mean `Sync`?"),
    (File("hook: PreSync,\n  Snyc\n"), ".argocd-jobs.yaml:1:7: key `hook`: invalid value `Snyc`, expected <P>\nhelp: did you mean `Sync`?"),
    (File("baseline:\n  migrate: t5f75288t5\n  seed: abc\n"), ".argocd-jobs.yaml:3:9: key `baseline`: invalid value `abc`, expected <B>"),
    (File("ttl: \"60\"\n"), ".argocd-jobs.yaml:1:6: key `ttl` is a string, expected a whole number"),
    (File("ttl: 0600\n"), ".argocd-jobs.yaml:1:6: key `ttl`: readers of YAML disagree about `0600`: for some it is `384`\nhelp: write `600` or `384`"),
    (File("ttl: 1_000\n"), ".argocd-jobs.yaml:1:6: key `ttl`: readers of YAML disagree about `1_000`: for some it is `1000`\nhelp: write `1000`"),
    (File("trigger: yes\n"), ".argocd-jobs.yaml:1:10: key `trigger`: readers of YAML disagree about `yes`: for some it is `true`\nhelp: write `true`"),
    (File("rules:\n- match: {}\n  keep-name: off\n"), ".argocd-jobs.yaml:3:14: key `keep-name`: readers of YAML disagree about `off`: for some it is `false`\nhelp: write `false`"),
    (File("ttl: 1.5\n"), ".argocd-jobs.yaml:1:6: key `ttl` is a number, expected a whole number"),
    (File("ttl: 4294967296\n"), ".argocd-jobs.yaml:1:6: key `ttl`: invalid value `4294967296`, expected <N>"),
    (File("rerun: 2\n"), ".argocd-jobs.yaml:1:8: key `rerun` is a number, expected a string\nhelp: put the value in quotes"),
    (File("trigger: \"false\"\n"), ".argocd-jobs.yaml:1:10: key `trigger` is a string, expected a boolean"),
    (File("strategy:\n"), ".argocd-jobs.yaml:1:10: key `strategy` is null, expected a string"),
    (File("strip-template-labels: helm.sh/chart\n"), ".argocd-jobs.yaml:1:24: key `strip-template-labels` is a string, expected a list"),
    (File("baseline: [a]\n"), ".argocd-jobs.yaml:1:11: key `baseline` is a list, expected a map"),
    (File("- strategy: hook\n"), ".argocd-jobs.yaml:1:1: the config file is a list, expected a map"),
    (File("ttl: 1\nttl: 2\n"), ".argocd-jobs.yaml:2:1: key `ttl` is set twice\nhelp: merge the two entries, or remove one of them"),
    (File("ttl: 1\n---\nwave: 2\n"), ".argocd-jobs.yaml:2:1: the config file has a second YAML document here, expected one"),
    (File("ttl: [1\nwave: 2\n"), ".argocd-jobs.yaml:2:5: did not find expected ',' or ']' (while parsing a flow sequence that began on the line above)"),
    (File("ignore: ttl-reruns\n"), ".argocd-jobs.yaml:1:9: key `ignore` is a string, expected a list of ids of findings"),
    (File("ignore: [1]\n"), ".argocd-jobs.yaml:1:9: key `ignore` is a list with items that are not strings, expected a list of ids of findings"),
    (File("ignroe: [ttl-reruns]\n"), ".argocd-jobs.yaml:1:1: unknown key `ignroe`\nhelp: did you mean `ignore`?"),
    (File("rule: []\n"), ".argocd-jobs.yaml:1:1: unknown key `rule`\nhelp: did you mean `rules`?"),
    (File("rules:\n  - match: {}\n    ignore: {}\n"), ".argocd-jobs.yaml:3:13: key `ignore` is a map, expected a list of ids of findings"),
    (Annotation("argocd-jobs/ignore.ttl-reruns: true"), "job.yaml:6:36: annotation `argocd-jobs/ignore.ttl-reruns` is a boolean, expected a string\nhelp: put the value in quotes: the value of an annotation is a string"),
    (File("1: hook\n"), ".argocd-jobs.yaml:1:1: a key is a number, expected a string"),
    // Rules.
    (File("rules:\n  - strategy: hook\n"), ".argocd-jobs.yaml:2:5: the rule has no `match`\nhelp: add `match` to choose the Jobs of the rule; `match: {}` chooses every Job"),
    (File("rules:\n  match: {}\n"), ".argocd-jobs.yaml:2:3: key `rules` is a map, expected a list of rules"),
    (File("rules: [x]\n"), ".argocd-jobs.yaml:1:9: key `rules` is a string, expected a map for each rule"),
    (File("rules:\n  - match: {nmae: x}\n"), ".argocd-jobs.yaml:2:13: unknown key `nmae`\nhelp: did you mean `name`?"),
    (File("rules:\n  - match: {name: \"[\"}\n"), ".argocd-jobs.yaml:2:19: key `name`: invalid value `[`, expected a valid glob"),
    (File("rules:\n  - match: {labels: {a: 1}}\n"), ".argocd-jobs.yaml:2:21: key `labels` is a map with values that are not strings, expected a map of strings"),
    (File("rules:\n  - match: {hook: presync}\n"), ".argocd-jobs.yaml:2:19: key `hook`: invalid value `presync`, expected <P>\nhelp: did you mean `PreSync`?"),
    (File("rules:\n  - match: {}\n    recurse: true\n"), ".argocd-jobs.yaml:3:5: key `recurse` cannot be set here\nhelp: `recurse` is for a whole Application: set it at the top of `.argocd-jobs.yaml`, as a parameter of the Application, or with `--recurse` on the command line"),
    (File("rules:\n  - match: {}\n    wvae: 1\n"), ".argocd-jobs.yaml:3:5: unknown key `wvae`\nhelp: did you mean `wave`?"),
    // The command line.
    (Typed("--set stratgy=hook"), "unknown parameter `stratgy`\nhelp: did you mean `strategy`?"),
    (Typed("--set image.tag=9"), "unknown parameter `image.tag`\nhelp: `--set` sets a parameter of argocd-jobs; `--set-value NAME=VALUE` sets a value of a Helm chart"),
    (Typed("--set foo=1"), "unknown parameter `foo`\nhelp: `--set` sets a parameter of argocd-jobs; `--set-value NAME=VALUE` sets a value of a Helm chart"),
    (File("$schema: 1\n"), ".argocd-jobs.yaml:1:10: key `$schema` is a number, expected a string\nhelp: put the value in quotes"),
    (File("foo: 1\n"), ".argocd-jobs.yaml:1:1: unknown key `foo`\nhelp: `argocd-jobs schema` prints all keys"),
    (Typed("--set strategy"), "flag `--set`: invalid value `strategy`, expected `NAME=VALUE`"),
    (Typed("--set ttl=soon"), "parameter `ttl`: invalid value `soon`, expected <N>"),
    (Typed("--recurse=maybe"), "flag `--recurse`: invalid value `maybe`, expected `true` or `false`"),
    // The Job.
    (Annotation("argocd-jobs/wave: \"1\""), "job.yaml:6:23: annotation `argocd-jobs/wave` cannot be set here\nhelp: set `wave` for the whole Application, or for some of its Jobs in a rule of `.argocd-jobs.yaml`"),
    (Annotation("argocd-jobs/ttl: 60"), "job.yaml:6:22: annotation `argocd-jobs/ttl` is a number, expected a string\nhelp: put the value in quotes: the value of an annotation is a string"),
    (Annotation("argocd-jobs/baseline: migrate=t5f75288t5"), "job.yaml:6:27: annotation `argocd-jobs/baseline`: invalid value `migrate=t5f75288t5`, expected <H>"),
    (Annotation("argocd-jobs/stratgy: hook"), "job.yaml:6:26: unknown annotation `argocd-jobs/stratgy`\nhelp: did you mean `argocd-jobs/strategy`?"),
];

#[test]
fn each_wrong_setting_gives_one_clear_error_and_no_output() {
    let texts =
        [("<S>", STRATEGIES), ("<P>", PHASES), ("<N>", SECONDS), ("<B>", BASELINE), ("<L>", NAMES), ("<H>", HASH)];
    let mut failures = Vec::new();
    for (wrong, told) in TABLE {
        let told = texts.iter().fold(told.to_owned(), |told, (short, long)| told.replace(short, long)) + "\n";
        let output = run(wrong);
        if output.status != Some(2) || !output.stdout.is_empty() || output.stderr != told {
            let (status, got) = (output.status, output.stderr);
            failures.push(format!("{wrong:?}: status {status:?}, {} bytes\n- {told}+ {got}", output.stdout.len()));
        }
    }
    assert!(failures.is_empty(), "{} of {} differ\n{}", failures.len(), TABLE.len(), failures.join("\n"));
}

/// What is wrong with a config file by its schema; `None` if it is no YAML, or has a second document.
fn by_schema(text: &str) -> Option<Vec<String>> {
    let schema: Json = serde_json::from_str(&report::plugin::schema()).unwrap();
    let value: Json = serde_yaml::from_str(text).ok()?;
    Some(json_schema::errors(&schema, &value))
}

#[test]
fn the_schema_refuses_wrong_config_files() {
    // A schema has no words for a glob, and sees the last of two equal keys.
    let unseen = ["rules:\n  - match: {name: \"[\"}\n", "ttl: 1\nttl: 2\n"];
    let mut seen = 0;
    for (wrong, _) in TABLE {
        let File(text) = wrong else { continue };
        let Some(errors) = by_schema(text) else { continue };
        assert_eq!(errors.is_empty(), unseen.contains(&text), "{text}{errors:?}");
        seen += 1;
    }
    assert!(seen > 25, "only {seen} wrong files");
}

#[test]
fn the_schema_takes_every_config_file_that_the_program_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = ["testdata", "examples", "deploy"].map(|folder| walkdir::WalkDir::new(root.join(folder)));
    let files = entries.into_iter().flatten().map(Result::unwrap).filter(|entry| entry.file_name() == CONFIG_FILE);
    let mut taken = 0;
    for file in files {
        let text = fs::read_to_string(file.path()).unwrap().trim_start_matches('\u{feff}').to_owned();
        if ConfigFile::parse(&text).is_err() {
            continue;
        }
        // `check` reports such an id.
        let mut errors = by_schema(&text).unwrap_or_else(|| panic!("{}", file.path().shown()));
        errors.retain(|error| !error.contains("ignore["));
        assert_eq!(errors, [""; 0], "{}", file.path().shown());
        taken += 1;
    }
    assert!(taken > 50, "only {taken} files");
    let with_schema = "$schema: https://example.com/config.v1.json\nttl: 60\n";
    assert!(ConfigFile::parse(with_schema).is_ok() && by_schema(with_schema).unwrap().is_empty());
}

/// Runs `generate` in a directory with a correct Job and the wrong setting.
fn run(wrong: Wrong) -> program::Output {
    let scratch = Scratch::new();
    let annotation = if let Annotation(line) = wrong { line } else { "owner: us" };
    scratch.write("job.yaml", format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations:\n    {annotation}\nspec:\n  template:\n    spec:\n      \
         containers: [{{name: migrate, image: shop/migrate:1}}]\n      restartPolicy: Never\n"
    ));
    let mut command = program::program(&scratch.source());
    command.arg("generate");
    match wrong {
        Variable(pair) => {
            let (name, value) = pair.split_once('=').unwrap();
            command.env(name, value);
        }
        Parameters(json) => {
            command.env("ARGOCD_APP_PARAMETERS", json);
        }
        File(text) => {
            scratch.write(".argocd-jobs.yaml", text);
        }
        Typed(arguments) => {
            command.args(arguments.split(' '));
        }
        Annotation(_) => {}
    }
    program::run(command, b"")
}
