//! The program reads what Argo CD reads: `crates/goyaml/testdata/oracle/expected.jsonl` contains Argo CD's verdict on 105 tricky
//! documents.

use std::fs;

use regex_lite::Regex;

use crate::support::program::generate;
use crate::support::scratch::Scratch;
use crate::support::{case, program};

/// A line of the oracle.
struct Verdict {
    file: String,
    input: Vec<u8>,
    is_refused: bool,
    is_empty: bool,
}

/// All lines. They are not parsed as JSON, because they are nested deeper than JSON readers allow.
fn verdicts() -> Vec<Verdict> {
    let dir = case::root().join("../crates/goyaml/testdata/oracle");
    let lines = fs::read_to_string(dir.join("expected.jsonl")).unwrap();
    let verdicts: Vec<Verdict> = lines
        .lines()
        .map(|line| {
            let (file, rest) = line.strip_prefix(r#"{"file":""#).unwrap().split_once('"').unwrap();
            Verdict {
                file: file.to_owned(),
                input: fs::read(dir.join(file)).unwrap(),
                is_refused: rest.contains(r#","err":""#),
                is_empty: rest.contains(r#","docs":[]"#),
            }
        })
        .collect();
    assert_eq!((verdicts.len(), verdicts.iter().filter(|verdict| verdict.is_refused).count()), (105, 29));
    verdicts
}

#[test]
fn what_argo_cd_refuses_is_refused_with_line_and_column() {
    let place = Regex::new(r"^(error: )?<stdin>:\d+:\d+: .").unwrap();
    let mut wrong = Vec::new();
    for verdict in verdicts().iter().filter(|verdict| verdict.is_refused) {
        let output = generate(&verdict.input, &[]);
        if output.status != Some(2) || !output.stdout.is_empty() || !place.is_match(&output.stderr) {
            wrong.push(format!("{}: status {:?}, {}", verdict.file, output.status, output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_argo_cd_reads_is_accepted() {
    let mut wrong = Vec::new();
    for verdict in verdicts().iter().filter(|verdict| !verdict.is_refused && !verdict.is_empty) {
        let output = generate(&verdict.input, &["--strategy", "keep"]);
        if output.status != Some(0) {
            wrong.push(format!("{}: {}", verdict.file, output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Argo CD's directory source replaces bytes that are not UTF-8; the program refuses them, because the Job would run
/// something else than its author wrote. It also refuses what exceeds its own limits: Argo CD may have other ones.
const STRICTER: [&str; 2] = ["40_alias_bomb.yaml", "74_bad_utf8.yaml"];

#[test]
fn a_directory_reads_ignores_and_refuses_what_argo_cd_does() {
    let dir = case::root().join("../crates/goyaml/testdata/oracle");
    let mut wrong = Vec::new();
    for line in fs::read_to_string(dir.join("directory.tsv")).unwrap().lines() {
        let (file, verdict) = line.split_once('\t').unwrap();
        let expected = if STRICTER.contains(&file) { "refused" } else { verdict };
        let found = verdict_in_a_directory(&fs::read(dir.join("documents").join(file)).unwrap());
        if found != expected {
            wrong.push(format!("{file}: {found}, and Argo CD: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What happens to a file with these bytes next to another file.
fn verdict_in_a_directory(bytes: &[u8]) -> &'static str {
    const BESIDE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: beside\n";
    let scratch = Scratch::new();
    scratch.write("a.yaml", BESIDE);
    scratch.write("b.yaml", bytes);
    let mut command = program::program(&scratch.source());
    command.args(["generate", "--strategy", "keep"]);
    let output = program::run(command, b"");
    match output.status {
        Some(0) if output.text() == BESIDE => "ignored",
        Some(0) => "read",
        _ => "refused",
    }
}
