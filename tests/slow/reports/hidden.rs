//! No output contains the content of a Secret, or a character that a terminal or a CI runner obeys.

use std::path::{Path, PathBuf};

use rewrite::manifest::{Manifest, Reader};
use text::Origin;

use crate::laws::seen::Seen;
use crate::support::inputs::{self, Input};
use crate::support::program;
use crate::support::scratch::Scratch;

/// The secret content in each Secret.
const HIDDEN: &str = "hunter2";

/// A Job with many findings.
const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: a, annotations: {argocd.argoproj.io/hook: presync, argocd.argoproj.io/sync-wave: x}}
spec: {ttlSecondsAfterFinished: 60, template: {metadata: {labels: {helm.sh/chart: x-1}}, spec: {containers: [{name: a, image: app}]}}}
";

/// An ordinary Job, which gets a new name.
const PLAIN: &str = "{apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {ttlSecondsAfterFinished: 60, template: {spec: {containers: [{name: a, image: app}]}}}}";

#[test]
fn no_secret_is_ever_shown() {
    let mut shown = String::new();
    for Input { name, bytes } in inputs::below("secrets") {
        let stream = String::from_utf8(bytes).unwrap();
        // A comment is not content, so an error in it is reported; but its line is not shown.
        let is_comment = stream.contains("ignore[hunter2]");
        let origin = Origin::File(Path::new("a.yaml").into());
        let seen = Seen::of(&[Manifest::new(origin, stream, Reader::Stream)]);
        for (format, text) in seen.outputs.iter().filter(|(_, text)| text.contains(HIDDEN) && !is_comment) {
            let line = text.lines().find(|line| line.contains(HIDDEN)).unwrap();
            shown += &format!("{name}, {format}: {line}\n");
        }
        for problem in seen.problems.iter().filter(|problem| problem.to_string().contains(HIDDEN) && !is_comment) {
            shown += &format!("{name}, stderr: {problem}\n");
        }
    }
    assert!(shown.is_empty(), "{shown}");
}

/// Sequences that a terminal or a GitHub Actions runner obeys, as escapes in quotes: YAML readers refuse such
/// characters in any other form.
const OBEYED: &str = r"a\r\n::error::x%0A::error::y\x85\u202ez\t";

/// The places in a manifest whose text gets into an output.
const WORDS: [&str; 11] = [
    r#"metadata: {name: "W"}"#,
    r#"metadata: {name: a, namespace: "W"}"#,
    r#"metadata: {generateName: "W"}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/hook: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/hook: Sync, argocd.argoproj.io/hook-delete-policy: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/sync-wave: "W", argocd.argoproj.io/sync-options: "W"}}"#,
    r#"metadata: {name: a, annotations: {"W": "W", argocd-jobs/rerun: "W", "argocd-jobs/ignore.W": "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd-jobs/strategy: "W"}}"#,
    r#"metadata: {name: a, annotations: {"argocd-jobs/W": "W", helm.sh/hook: "W"}, labels: {"W": "W"}}"#,
    r#"metadata: {name: a, annotations: {"W": 1, argocd-jobs/base-name: "W"}}"#,
    r#"metadata: {name: a}
spec: {"W": "W", template: {"W": null, spec: {containers: [{name: "W", image: "W", command: [kubectl, wait, "job/W"]}]}}}"#,
];

#[test]
fn nothing_that_a_terminal_obeys_comes_from_a_manifest() {
    let mut shown = String::new();
    for words in WORDS {
        let object = |kind: &str| format!("apiVersion: {kind}\n{}\n", words.replace('W', OBEYED));
        let path = PathBuf::from("a\u{1b}[31m\n::error::x,b.yaml");
        for text in
            [object("batch/v1\nkind: Job"), object("v1\nkind: Secret"), object(&format!("v1\nkind: \"{OBEYED}\""))]
        {
            let seen = Seen::of(&[Manifest::new(Origin::File(path.clone().into()), text, Reader::Stream)]);
            let problems = seen.problems.iter().map(|problem| ("stderr", problem.to_string()));
            for (format, text) in seen.outputs.clone().into_iter().chain(problems) {
                let is_obeyed = |found: char| found.is_control() && found != '\n' || found == '\u{202e}';
                // JSON escapes these characters itself, and a runner obeys whole lines only.
                let is_for_programs = ["json", "sarif", "baseline"].iter().any(|name| format.contains(name));
                let line = text
                    .lines()
                    .find(|line| line.contains(is_obeyed) && !is_for_programs || line.starts_with("::error::"));
                shown += &line.map(|line| format!("{format}: {line:?}\n  of {words}\n")).unwrap_or_default();
            }
        }
    }
    assert!(shown.is_empty(), "{shown}");
}

#[test]
fn a_comment_on_a_pull_request_fits() {
    let jobs: String =
        (0..700).map(|number| format!("---\n{}\n", PLAIN.replace("name: b", &format!("name: j{number}")))).collect();
    let big = format!("{JOB}x: \"{}\"\n", "é".repeat(100_000));
    let long = PLAIN.replace("name: b", &format!("name: {}", "b".repeat(100_000)));
    let many = (0..2_500).map(|number| format!("k{number}: null, ")).collect::<String>();
    let many = PLAIN.replace("name: b", &format!("name: b, annotations: {{{many}}}"));
    for text in [jobs, big, long, many] {
        let seen = Seen::of(&[Manifest::new(Origin::StandardInput, text, Reader::Stream)]);
        for format in ["preview markdown", "preview against markdown"] {
            let length = seen.output(format).unwrap().chars().count();
            assert!(length < 65_536, "{format}: {length} characters");
        }
    }
}

/// Maps that merge maps that merge maps: a reader that follows all of them never ends.
#[test]
fn maps_merged_many_times_over_are_not_followed() {
    let levels = (1..40).map(|level| format!("a{level}: &a{level} {{<<: [*a{}, *a{}]}}\n", level - 1, level - 1));
    let bomb = format!("a0: &a0 {{x: y}}\n{}<<: *a39\n{PLAIN}", levels.collect::<String>());
    let bomb = bomb.replace(PLAIN, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: Secret}\n");
    for text in [bomb.clone(), format!("kind: List\nitems:\n- {}", bomb.replace('\n', "\n  "))] {
        Seen::of(&[Manifest::new(Origin::StandardInput, text, Reader::Stream)]);
    }
}

#[test]
fn neither_does_it_come_from_the_name_of_a_file() {
    // A file that is not valid YAML, and one that is not UTF-8.
    for content in
        [&b"apiVersion: v1\nkind: [\nmetadata: {}\n"[..], b"apiVersion: v1\nkind: Job\nmetadata: {name: \"\xff\"}\n"]
    {
        let scratch = Scratch::new();
        scratch.write("a\u{1b}[31m.yaml", content);
        for name in ["generate", "preview", "check"] {
            let mut command = program::program(&scratch.source());
            command.arg(name);
            let output = program::run(command, b"");
            let told = output.text() + &output.stderr;
            assert!(told.contains("a\\u{1b}[31m.yaml") && !told.contains('\u{1b}'), "{name}: {told:?}");
        }
    }
}
