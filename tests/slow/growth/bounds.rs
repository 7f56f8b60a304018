//! `check`, `preview` and `test` need at most 64 MiB and eight times their input, whatever the input is: as many objects, Jobs, keys and
//! values, and findings as there may be, each in as few bytes as it can be. With `LONG=1` in every format.

use super::counted::{self, Counts};
use crate::support::scratch::Scratch;
use crate::support::switches;

/// How many bytes the program may need whatever it reads.
pub(super) const FIXED: i64 = 64 << 20;

/// How many bytes of memory a byte of input may take.
pub(super) const FACTOR: i64 = 8;

/// What runs over every input.
const COMMANDS: [&[&str]; 4] = [
    &["check", "-", "--format", "json"],
    &["preview", "-", "--format", "json"],
    &["check", "new", "--base", "old"],
    &["preview", "new", "--base", "old"],
];

/// What runs over every input with `LONG=1`, too.
const LONG_COMMANDS: [&[&str]; 10] = [
    &["check", "-", "--format", "sarif"],
    &["preview", "-", "--format", "markdown"],
    &["test", "."],
    &["check", "-"],
    &["check", "-", "--format", "github"],
    &["check", "-", "--format", "gitlab"],
    &["check", "-", "--all"],
    &["preview", "-"],
    &["check", "new", "--base", "old", "--format", "sarif"],
    &["preview", "new", "--base", "old", "--format", "json"],
];

/// A Job with `more` in its metadata and in its container.
pub(super) fn job(number: usize, metadata: &str, container: &str) -> String {
    format!(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j{number}\n{metadata}spec:\n  template:\n    spec:\n      \
         restartPolicy: Never\n      containers:\n      - name: c\n        image: a:1\n{container}"
    )
}

/// The smallest Job.
pub(super) fn bare(number: usize) -> String {
    format!("---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j{number}}}\nspec: {{}}\n")
}

pub(super) fn config_map(number: usize, labels: &str) -> String {
    format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}, labels: {{{labels}}}}}\n")
}

/// A Job as people write it.
pub(super) fn usual(number: usize) -> String {
    let metadata = "  labels:\n    app.kubernetes.io/name: shop\n    app.kubernetes.io/part-of: platform\n  annotations:\n    argocd.argoproj.io/sync-wave: '1'\n";
    let container = "        command: [\"/bin/sh\", \"-c\"]\n        args:\n        - |\n          set -e\n          ./migrate --all --verbose\n        \
                     env:\n        - name: DATABASE_URL\n          valueFrom:\n            secretKeyRef:\n              name: database\n              \
                     key: url\n        resources:\n          requests:\n            cpu: 100m\n            memory: 128Mi\n          limits:\n            \
                     memory: 256Mi\n";
    job(number, metadata, container)
}

fn many(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

/// What needs the most of each kind.
fn inputs() -> Vec<(&'static str, String)> {
    let not_strings = many(100, |number| format!("a{number}: 1, "));
    let nulls = many(50, |number| format!("        - name: A{number}\n          value:\n"));
    let items = "a,".repeat(40_000);
    vec![
        ("objects", many(16_700, |_| "kind: A\n---\n".to_owned())),
        ("objects in a List", format!("kind: List\nitems:\n{}", many(16_700, |_| "- {kind: A}\n".to_owned()))),
        ("Jobs", many(6_150, |number| job(number, "", ""))),
        (
            "Jobs in a List",
            format!(
                "kind: List\nitems:\n{}",
                many(5_000, |number| format!(
                    "- {{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}}}, spec: {{}}}}\n"
                ))
            ),
        ),
        ("Jobs and objects", many(5_000, bare) + &many(12_000, |number| config_map(number, ""))),
        ("usual Jobs", many(9_000, usual)),
        ("findings", many(102, |number| config_map(number, &not_strings))),
        ("findings in the text", format!("kind: A\nx:\n{}", "  a: 1\n  a: 2\n".repeat(5_100))),
        ("findings in Jobs", many(52, |number| job(number, "", &"      - {image: a}\n".repeat(200)))),
        ("nulls", many(3_000, |number| job(number, "", &format!("        env:\n{nulls}")))),
        ("values", many(12, |number| job(number, "", &format!("        args: [{items}]\n")))),
    ]
}

/// What is wrong with the memory of a command over an input; nothing when it is as much as it may be.
fn judged(arguments: &[&str], name: &str, input: &str) -> Option<String> {
    let scratch = Scratch::new();
    let mut stream = "";
    let mut read = input.len();
    match arguments {
        [_, "-", ..] => stream = input,
        ["test", ..] => {
            scratch.write("case/in/a.yaml", input);
            scratch.write("case/stdout.yaml", input);
            read += input.len();
        }
        _ => {
            let old = input.replace("a:1", "a:2").replace("{}", "{a: b}");
            read += old.len();
            scratch.write("new/a.yaml", input);
            scratch.write("old/a.yaml", &old);
        }
    }
    judge(arguments, name, counted::run(&scratch, arguments, stream.as_bytes()), FIXED + FACTOR * read as i64)
}

/// What is wrong with what was counted; nothing when it is at most as much memory as it may be. With `SHOW=1` the ratio is printed.
pub(super) fn judge(arguments: &[&str], name: &str, counts: Counts, most: i64) -> Option<String> {
    let memory = counts.memory();
    switches::show(&format!("{:.2} {} {name}", memory as f64 / most as f64, arguments.join(" ")));
    (memory > most).then(|| format!("{arguments:?}, {name}: {memory} bytes, not {most}"))
}

#[test]
fn the_other_commands_need_64_mib_and_eight_times_their_input_at_most() {
    if !counted::is_there() {
        return;
    }
    let long: &[_] = if switches::long() { &LONG_COMMANDS } else { &[] };
    let mut wrong = Vec::new();
    for (name, input) in inputs() {
        let commands = COMMANDS.iter().chain(long);
        wrong.extend(commands.filter_map(|arguments| judged(arguments, name, &input)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
