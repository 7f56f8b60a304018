//! What never gets into an output: the content of a Secret, wherever it is, and characters that a terminal or a runner obeys.

use std::path::{Path, PathBuf};

use argocd_jobs::manifest::{Manifest, Reader};
use argocd_jobs::text::Origin;

use crate::laws::seen::Seen;
use crate::support::program;
use crate::support::scratch::Scratch;

/// In each Secret, in the place of what nobody may read.
const HIDDEN: &str = "hunter2";

/// A Job about which there is much to say.
const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: a, annotations: {argocd.argoproj.io/hook: presync, argocd.argoproj.io/sync-wave: x}}
spec: {ttlSecondsAfterFinished: 60, template: {metadata: {labels: {helm.sh/chart: x-1}}, spec: {containers: [{name: a, image: app}]}}}
";

/// An ordinary Job, which gets another name.
const PLAIN: &str = "{apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {ttlSecondsAfterFinished: 60, template: {spec: {containers: [{name: a, image: app}]}}}}";

const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n";
const FLOW: &str = "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: hunter2}}";
const JSON: &str = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"password":"hunter2"}}"#;
const JSON_JOB: &str = r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","annotations":{"argocd.argoproj.io/hook":"presync"}},"spec":{"ttlSecondsAfterFinished":60}}"#;
const LAST: &str = r#"annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"password":"hunter2"}}', argocd.argoproj.io/hook: presync, argocd.argoproj.io/sync-wave: x, argocd-jobs/hok: 1}"#;

fn list(items: &[&str]) -> String {
    format!("{{apiVersion: v1, kind: List, items: [{}]}}\n", items.join(", "))
}

fn blocks(items: &[&str]) -> String {
    let block = |text: &str| format!("- {}\n", text.trim_end().replace('\n', "\n  "));
    format!("apiVersion: v1\nkind: List\nitems:\n{}", items.iter().map(|item| block(item)).collect::<String>())
}

/// Beside Jobs.
fn beside_jobs() -> Vec<String> {
    vec![
        format!("{SECRET}---\n{JOB}"),
        format!("{JOB}---\n{SECRET}---\n{PLAIN}\n"),
        blocks(&[SECRET, JOB]),
        blocks(&[JOB, SECRET, PLAIN]),
        list(&[FLOW, PLAIN]),
        list(&[PLAIN, FLOW]),
        format!("{JSON}{JSON_JOB}"),
        format!("{JSON_JOB}{JSON}"),
        format!(r#"{{"kind":"List","apiVersion":"v1","items":[{JSON},{JSON_JOB}]}}"#),
        format!(r#"{{"kind":"List","apiVersion":"v1","items":[{JSON_JOB},{JSON}]}}"#),
        list(&[
            FLOW,
            "{apiVersion: batch/v1, kind: Job, metadata: {name: c, annotations: {argocd.argoproj.io/hook: x}}}",
        ]),
        format!(
            "{JSON}{}",
            r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"annotations":{"argocd.argoproj.io/hook":"x"}}}"#
        ),
    ]
}

/// Deeper than Argo CD unpacks.
fn deeper_than_argo_cd_unpacks() -> Vec<String> {
    vec![
        list(&[PLAIN, &list(&[FLOW])]),
        blocks(&[PLAIN, &blocks(&[SECRET])]),
        blocks(&[&blocks(&[SECRET]), PLAIN]),
        format!(
            "{{apiVersion: x/v1, kind: Template, objects: [{FLOW}], metadata: {{name: t, annotations: {{argocd.argoproj.io/hook: presync}}}}}}\n"
        ),
    ]
}

/// Written otherwise.
fn written_in_another_way() -> Vec<String> {
    vec![
        format!("{}---\n{JOB}", SECRET.replace("Secret", "\"Secret\"")),
        blocks(&[&SECRET.replace("Secret", "\"S\\x65cret\""), JOB]),
        blocks(&[&SECRET.replace("Secret", "!!str Secret"), PLAIN]),
        list(&[&FLOW.replace("Secret", "\"S\\x65cret\""), PLAIN]),
        format!("x: &k Secret\n{}", blocks(&[&SECRET.replace("Secret", "*k"), PLAIN])),
        blocks(&[
            "<<: &s {apiVersion: v1, kind: Secret}\nstringData: {password: hunter2}\nmetadata: {name: s, annotations: {argocd.argoproj.io/hook: presync}}\n",
            PLAIN,
        ]),
    ]
}

/// Broken, or odd.
fn broken_or_odd() -> Vec<String> {
    let annotated = format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  {LAST}\n");
    vec![
        format!("{SECRET}stringData: {{password: hunter2}}\n---\n{JOB}"),
        format!("{SECRET}  x: [hunter2\n---\n{JOB}"),
        format!("{}hunter2: - x: hunter2\n", SECRET.replace("Secret", "\"S\\x65cret\"")),
        format!("{SECRET}data: {{password: hunter2, password: hunter2}}\n"),
        format!("{SECRET}data:\n  a: \"hunter2\n  b: \\hunter2\n---\n{JOB}"),
        format!("{SECRET}data: *hunter2\n"),
        format!("{SECRET}data: !hunter2 hunter2\n"),
        format!("{SECRET}... hunter2\n---\n{JOB}"),
        format!("{}---\n{PLAIN}\n", SECRET.replace("Secret", "[Secret, hunter2]")),
        SECRET.replace("hunter2}", "hunter2, x: null, y: 1, z: ~}") + JOB,
        SECRET.replace(
            "metadata: {name: s}",
            "metadata: {name: s, annotations: {a: [hunter2], b: {c: hunter2}, d: null}, labels: {a: [hunter2]}}",
        ),
        annotated.clone(),
        blocks(&[&annotated, JOB]),
    ]
}

/// What a Job takes of a Secret shows no more of it.
fn used_by_a_job() -> Vec<String> {
    vec![
        blocks(&[
            "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2, image: &i app}\n",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: c}\nspec: {template: {spec: {containers: [{name: a, image: *i}]}}}\n",
        ]),
        blocks(&[
            "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2, hook: &h presync}\n",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: c, annotations: {argocd.argoproj.io/hook: *h}}\n",
        ]),
    ]
}

/// Comments.
fn with_comments() -> Vec<String> {
    vec![
        format!(
            "{}  # argocd-jobs: ignore[unknown-hook] hunter2 is wrong\n---\n{JOB}",
            SECRET.replace("{password: hunter2}", "\n  password: hunter2")
        ),
        format!("{}  # argocd-jobs: hunter2\n---\n{JOB}", SECRET.trim_end()),
        format!("{SECRET}# argocd-jobs: ignore[hunter2] x\n"),
    ]
}

/// Streams with a Secret in a place where it could be seen.
fn streams() -> Vec<String> {
    let all = [
        beside_jobs(),
        deeper_than_argo_cd_unpacks(),
        written_in_another_way(),
        broken_or_odd(),
        used_by_a_job(),
        with_comments(),
    ];
    all.concat()
}

#[test]
fn no_secret_is_ever_shown() {
    let mut shown = String::new();
    for stream in streams() {
        // A comment is not content, and an error in one is reported; its line is not shown.
        let is_comment = stream.contains("ignore[hunter2]");
        let origin = Origin::File(Path::new("a.yaml").into());
        let seen = Seen::of(&[Manifest::new(origin, stream.clone(), Reader::Stream)]);
        for (format, text) in seen.outputs.iter().filter(|(_, text)| text.contains(HIDDEN) && !is_comment) {
            let line = text.lines().find(|line| line.contains(HIDDEN)).unwrap();
            shown += &format!("{format}: {line}\n  of: {}\n", stream.replace('\n', "\n      "));
        }
        for problem in seen.problems.iter().filter(|problem| problem.to_string().contains(HIDDEN) && !is_comment) {
            shown += &format!("stderr: {problem}\n  of: {}\n", stream.replace('\n', "\n      "));
        }
    }
    assert!(shown.is_empty(), "{shown}");
}

/// Sequences that a terminal or a runner of GitHub Actions obeys, in quotes; readers refuse all other such characters.
const OBEYED: &str = r"a\r\n::error::x%0A::error::y\x85\u202ez\t";

/// The words of a user that get into an output.
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
                // JSON has escapes of its own, and a runner reads whole commands.
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

/// Maps that merge maps that merge maps: a reader that follows each of them never ends.
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
    // One that cannot be read, and one that is not a text.
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
