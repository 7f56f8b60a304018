//! No output shows the content of a Secret, even when its document is broken: errors are the most likely place for
//! it. `reports::hidden` tests documents that can be read.

use std::fs;

use super::quoted;
use crate::support::inputs::hold_for_all;
use crate::support::scratch::Scratch;
use crate::support::{case, program, switches};

/// The content that no output may show.
const HIDDEN: &str = "hunter2";

/// The documents for one kind of data: below `stringData`, below `data`, in a list, and followed by a Job.
fn documents(data: &str) -> Vec<String> {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: app:1}]}}}\n";
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    let annotated = head.replace(
        "{name: s}",
        &format!("{{name: s, annotations: {{argocd.argoproj.io/sync-wave: x, a: {}}}}}", quoted(data)),
    );
    let below = |text: &str| text.trim_end().replace('\n', "\n  ");
    let secret = format!("{head}stringData: {data}\n");
    vec![
        format!("{secret}---\n{job}"),
        format!("{job}---\n{head}data: {data}\n"),
        format!("apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n", below(&secret), below(job)),
        format!("{annotated}stringData: {data}\n---\n{job}"),
        format!("stringData: {data}\n{head}---\n{job}"),
    ]
}

/// The commands that run on each document. `generate` prints the Secret itself, so only its errors are searched.
const COMMANDS: [&str; 7] = [
    "generate .",
    "generate . --hash-references",
    "check . --all",
    "check . --diff --fix=all",
    "check . --format github --base ../old",
    "preview . --base ../old --format markdown",
    "preview ../old --base .",
];

#[test]
fn no_error_shows_a_secret() {
    let read = |name: &str| fs::read_to_string(case::root().join("secrets").join(name)).unwrap();
    let values = read("values.jsonl");
    let values = values.lines().map(|line| serde_json::from_str::<String>(line).unwrap());
    let all: Vec<String> =
        values.flat_map(|data| documents(&data)).chain(read("json.txt").lines().map(str::to_owned)).collect();
    assert!(all.len() > 300, "{}", all.len());
    let numbered: Vec<(usize, &String)> = all.iter().enumerate().collect();
    hold_for_all(&numbered, |(number, document)| {
        let scratch = Scratch::new();
        scratch.write("new/a.yaml", document);
        scratch.write("old/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: old}\n");
        // Every document is run through `generate`, and in turn through one of the other commands.
        for command in COMMANDS[..2].iter().chain([&COMMANDS[number % 5 + 2]]) {
            let mut program = program::program(&scratch.source().join("new"));
            program.args(command.split(' ')).env("PATH", switches::path());
            let output = program::run(program, b"");
            let is_stream = command.starts_with("generate");
            let printed = if is_stream { String::new() } else { output.text() };
            if let Some(line) = printed.lines().chain(output.stderr.lines()).find(|line| line.contains(HIDDEN)) {
                return Some(format!("{command}: {line}\n  of {}\n", document.replace('\n', "\n     ")));
            }
        }
        None
    });
}
