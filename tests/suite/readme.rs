//! Runs the commands in README.md, CONTRIBUTING.md, docs/ and the skill for agents, so that these pages cannot promise something that does
//! not work.
//!
//! In a `console` block, a line that begins with `$ ` is a command, and the lines below it are its expected output; a
//! line `…` stands for any lines. In a `sh` block every line is a command. Both run in a copy of the repository, with
//! the program on `PATH`; `cargo run … --` means the program, too. Commands that cannot run here are skipped, with
//! the reason in the table below.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use system::PathText;
use text::diff;

use crate::support::program::{program, run};
use crate::support::scratch::{self, Scratch};
use crate::support::switches;

/// The first words of commands that are skipped, and the reason.
const SKIPPED: [(&str, &str); 10] = [
    ("cargo test", "it is running"),
    ("UPDATE=1 cargo test", "it would rewrite what is being compared"),
    ("CASE=", "it is running"),
    ("cargo bench", "it takes minutes"),
    ("cargo build", "the program is built"),
    ("cargo install", "it changes the machine"),
    ("git clone", "it needs the network"),
    ("docker ", "it needs a daemon"),
    ("kubectl ", "it needs a cluster"),
    ("argocd ", "it needs a server"),
];

/// A command, and the output shown below it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    output: Option<String>,
}

#[test]
fn the_commands_of_the_documents_do_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = Scratch::new();
    scratch::copy(root, &scratch.source(), &["target", ".git", "corpus"]);
    // The copy is the root of a repository, like the original.
    fs::create_dir(scratch.source().join(".git")).unwrap();
    let mut ran = 0;
    let mut failures = Vec::new();
    for document in documents(root) {
        let name = document.strip_prefix(root).unwrap().shown().to_string();
        let commands = commands(&fs::read_to_string(&document).unwrap());
        let is_run = |shown: &&Shown| !SKIPPED.iter().any(|(skip, _)| shown.command.starts_with(skip));
        for shown in commands.iter().filter(is_run) {
            ran += 1;
            failures.extend(fails(shown, &scratch.source(), &name));
        }
    }
    assert!(ran > 0, "no document shows a command that can run here");
    assert!(failures.is_empty(), "{} of {ran} commands:\n\n{}", failures.len(), failures.join("\n"));
}

/// What README.md says of hooks, and does not promise of `Force=true,Replace=true`: the preview shows both, and the plugin changes neither.
#[test]
fn jobs_that_run_at_every_sync_are_shown_and_left_until_somebody_chooses() {
    for own in ["argocd.argoproj.io/hook: PostSync", "argocd.argoproj.io/sync-options: 'Force=true,Replace=true'"] {
        let job = |annotations: &str| {
            format!(
                "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: seed, annotations: {{{annotations}}}}}\n\
                 spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: a:1}}]}}}}}}\n"
            )
        };
        let asked = |command: &[&str], manifest: &str| {
            let scratch = Scratch::new();
            let mut program = program(&scratch.source());
            program.args(command).arg("-");
            run(program, manifest.as_bytes()).text()
        };
        let shown = asked(&["preview"], &job(own));
        assert!(["every sync", "every sync that touches it"].iter().any(|when| shown.contains(when)), "{shown}");
        let emitted = asked(&["generate", "--set", "trigger=false"], &job(own));
        assert!(emitted.contains(&format!("{{name: seed, annotations: {{{own}")), "{emitted}");
        let chosen = asked(&["generate"], &job(&format!("argocd-jobs/strategy: hash-name, {own}")));
        assert!(chosen.contains("name: seed-") && !chosen.contains(own), "{chosen}");
    }
}

/// The documents whose commands are run.
fn documents(root: &Path) -> Vec<PathBuf> {
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    found.sort();
    found.insert(0, root.join("README.md"));
    found.insert(1, root.join("CONTRIBUTING.md"));
    found.push(root.join("skills/argocd-jobs/SKILL.md"));
    found
}

/// Runs a command of the document `name` in `dir`; returns what is wrong.
fn fails(shown: &Shown, dir: &Path, name: &str) -> Option<String> {
    let program = switches::program();
    let path = format!("{}:{}", program.parent().unwrap().shown(), switches::path().display());
    let script = without_cargo_run(&shown.command);
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {script}\n}} 2>&1")])
        .env("PATH", path)
        .current_dir(dir)
        .output()
        .unwrap();
    let got = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_to_fail = shown.output.as_ref().is_some_and(|output| output.starts_with("error: "));
    if output.status.success() == is_to_fail {
        return Some(format!("{name}:\n$ {}\n{}\n{got}", shown.command, output.status));
    }
    let want = shown.output.as_ref()?;
    (!matches(want, &got)).then(|| format!("$ {}\n{}", shown.command, diff::unified(want, &got, name, "got", 2)))
}

/// The command with `cargo run <options> -- <arguments>` replaced by the program and its arguments.
fn without_cargo_run(command: &str) -> String {
    match command.split_once("cargo run").and_then(|(before, after)| Some((before, after.split_once(" -- ")?.1))) {
        Some((before, arguments)) => format!("{before}argocd-jobs {arguments}"),
        None => command.to_owned(),
    }
}

/// Whether `got` equals `want`, in which a line `…` stands for any lines.
fn matches(want: &str, got: &str) -> bool {
    let mut rest = got;
    let mut parts = want.split("…\n");
    let Some(first) = parts.next() else { return rest.is_empty() };
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    let parts: Vec<&str> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        if at + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// The commands in `console` and `sh` blocks.
fn commands(readme: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut block: Option<&str> = None;
    let mut continues = false;
    for line in readme.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.trim()) };
            continues = false;
        } else if continues {
            let command = &mut shown.last_mut().unwrap().command;
            command.push('\n');
            command.push_str(line);
            continues = line.ends_with('\\');
        } else if let Some(command) = command(block, line) {
            continues = command.ends_with('\\');
            shown.push(Shown { command: command.to_owned(), output: None });
        } else if block == Some("console")
            && let Some(shown) = shown.last_mut()
        {
            let output = shown.output.get_or_insert_default();
            output.push_str(line);
            output.push('\n');
        }
    }
    shown
}

/// The command in a line of a block, if the line is one.
fn command<'a>(block: Option<&str>, line: &'a str) -> Option<&'a str> {
    match block {
        Some("console") => line.strip_prefix("$ "),
        Some("sh") => Some(line).filter(|line| !line.is_empty() && !line.starts_with('#')),
        _ => None,
    }
}

#[test]
fn commands_are_read_with_their_output() {
    let readme = "x\n```console\n$ a \\\n  b\nout\n$ c\n```\n```sh\n# no\nd\n```\n```yaml\n$ e\n```\n";
    let shown = |command: &str, output: Option<&str>| Shown { command: command.into(), output: output.map(Into::into) };
    assert_eq!(commands(readme), [shown("a \\\n  b", Some("out\n")), shown("c", None), shown("d", None)]);
}

#[test]
fn an_ellipsis_stands_for_any_lines() {
    assert!(matches("a\n…\nd\n", "a\nb\nc\nd\n"));
    assert!(matches("a\n…\n", "a\nb\n"));
    assert!(!matches("a\n…\nd\n", "a\nb\n"));
    assert!(!matches("a\n", "a\nb\n"));
}

#[test]
fn cargo_run_is_the_program() {
    assert_eq!(without_cargo_run("cargo run -q --release -- generate x"), "argocd-jobs generate x");
    assert_eq!(without_cargo_run("cat x | cargo run --quiet -- generate -"), "cat x | argocd-jobs generate -");
}
