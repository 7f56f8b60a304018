//! Nothing of a Secret is printed, whatever is wrong with its document: it is in the errors of every subcommand that the content is most
//! likely to be. `reports::hidden` looks at what is found in documents that can be read.

use super::quoted;
use crate::support::inputs::hold_for_all;
use crate::support::scratch::Scratch;
use crate::support::{program, switches};

/// What nobody may read.
const HIDDEN: &str = "hunter2";

/// The data of a Secret, in odd shapes.
const DATA: [&str; 64] = [
    "{k: hunter2}",
    "{k: !!int hunter2}",
    "{k: !!int \"hunter2\"}",
    "{k: !!float hunter2}",
    "{k: !!bool hunter2}",
    "{k: !!null hunter2}",
    "{k: !!timestamp hunter2}",
    "{k: !!binary hunter2}",
    "{k: !!binary \"hunter2==\"}",
    "{k: !!str [hunter2]}",
    "{k: !!map hunter2}",
    "{k: !!seq hunter2}",
    "{k: !!set {hunter2}}",
    "{k: !!omap [a: hunter2]}",
    "{k: !!merge hunter2}",
    "{k: !hunter2 x}",
    "{k: !x!hunter2 x}",
    "{k: !<hunter2> x}",
    "{k: &hunter2 x}",
    "{k: *hunter2}",
    "{k: &a [*a, hunter2]}",
    "{<<: hunter2}",
    "{<<: [hunter2]}",
    "{<<: [{k: hunter2}, hunter2]}",
    "{<<: !!int hunter2}",
    "{k: hunter2, k: hunter2}",
    "{k: hunter2, ? [hunter2] : x}",
    "{? {k: hunter2} : x}",
    "{!!int hunter2: x}",
    "{k: [hunter2, {a: hunter2}]}",
    "{k: {a: {b: hunter2}}}",
    "{k: 1, l: 1.5, m: null, n: hunter2}",
    "[hunter2]",
    "hunter2",
    "!!int hunter2",
    "\"hunter2",
    "'hunter2",
    "{k: hunter2",
    "[hunter2",
    "hunter2: x",
    "@hunter2",
    "`hunter2`",
    "%hunter2",
    "\"\\hunter2\"",
    "\"hunter2\\xzz\"",
    "\"hunter2\\ud800\"",
    "hunter2: - hunter2",
    "\n  k: hunter2\n l: hunter2",
    "\n  k: hunter2\n\tl: hunter2",
    "\n  k: |\n   hunter2\n  hunter2\n l: x",
    "\n  k: |9\n   hunter2",
    "\n  k: >hunter2",
    "\n  k: |hunter2\n    x",
    "\n  k: hunter2\n  - hunter2",
    "\n  k: - hunter2",
    "\n  k: \"hunter2\" hunter2",
    "\n  k: hunter2: hunter2",
    "\n  k: {{ hunter2 }}",
    "\n  k: <% hunter2 %>",
    "\n  k: {% hunter2 %}",
    "\n  hunter2",
    "\n  k: hunter2\n... hunter2",
    "\n  k: hunter2\n--- hunter2",
    "{k: 99999999999999999999999999999999999999999999hunter2}",
];

/// The documents of one shape: after `stringData` and after `data`, in a list, and with the Job behind it.
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

/// JSON, which has readers and errors of its own.
const JSON: [&str; 8] = [
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"hunter2"}"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":hunter2}}"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"hunter2",}}"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"hunter2\x"}}"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"hunter2"}} hunter2"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"hunter2","k":"hunter2"}}{"a":"hunter2"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":["hunter2",1e999]}"#,
    r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":"hunter2"}{"kind":"Job","apiVersion":"batch/v1","metadata":{"annotations":{"argocd.argoproj.io/hook":"x"}}}"#,
];

/// What is run over each; `generate` passes the Secret on, and only its errors are looked at.
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
    let all: Vec<String> = DATA.iter().flat_map(|data| documents(data)).chain(JSON.map(str::to_owned)).collect();
    let numbered: Vec<(usize, &String)> = all.iter().enumerate().collect();
    hold_for_all(&numbered, |(number, document)| {
        let scratch = Scratch::new();
        scratch.write("new/a.yaml", document);
        scratch.write("old/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: old}\n");
        // Every document meets the errors of `generate`, and by turns one of the other commands.
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
