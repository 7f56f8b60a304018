//! Reads what Argo CD reads: `yaml-oracle/expected.jsonl` holds its verdict on 105 tricky documents.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod case;
mod program;

use std::fs;

use program::generate;
use regex_lite::Regex;
use serde_json::Value;

/// One line of the oracle.
struct Verdict {
    file: String,
    input: Vec<u8>,
    objects: Vec<Value>,
    refused: bool,
}

/// All of them.
fn verdicts() -> Vec<Verdict> {
    let dir = case::root().join("yaml-oracle");
    let lines = fs::read_to_string(dir.join("expected.jsonl")).unwrap();
    lines
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let file = line["file"].as_str().unwrap().to_owned();
            Verdict {
                input: fs::read(dir.join(&file)).unwrap(),
                objects: line["docs"].as_array().cloned().unwrap_or_default(),
                refused: line.get("err").is_some(),
                file,
            }
        })
        .collect()
}

#[test]
fn what_argo_cd_refuses_is_refused_with_line_and_column() {
    let place = Regex::new(r"^(error: )?<stdin>:\d+:\d+: .").unwrap();
    let mut wrong = Vec::new();
    for verdict in verdicts().iter().filter(|verdict| verdict.refused) {
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
    for verdict in verdicts().iter().filter(|verdict| !verdict.refused && !verdict.objects.is_empty()) {
        let output = generate(&verdict.input, &["--strategy", "keep"]);
        if output.status != Some(0) {
            wrong.push(format!("{}: {}", verdict.file, output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
