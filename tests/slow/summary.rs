//! In every case of `preview --base` the first line is a fold of the rows, and what is visible is short: nothing is
//! counted that no row shows, and no object has two rows.

use std::collections::BTreeSet;

use golden::Case;
use regex_lite::Regex;
use serde_json::Value as Json;

use crate::support::{case, program, switches};

/// The sum of the numbers before what a pattern says.
fn sum(sentence: &str, pattern: &str) -> usize {
    let numbers = Regex::new(pattern).unwrap();
    numbers.captures_iter(sentence).map(|found| found[1].parse::<usize>().unwrap()).sum()
}

/// The first number in the first line that is not that of the rows.
fn differs(application: &Json) -> Option<String> {
    let (summary, rows) = (application["summary"].as_str()?, application["rows"].as_array()?);
    let is_started =
        !application["start"]["when"].as_str()?.starts_with("not-") && application["start"]["when"] != "by-hand";
    let is = |row: &Json, outcome: &str| row["outcome"] == outcome;
    let is_new = |row: &Json| is(row, "runs") && row["change"] == "new";
    let is_changed = |row: &Json| row["becauseOfChange"] == true;
    let is_late = |row: &Json| row["moment"]["phase"] == "SyncFail";
    let is_anyway = |row: &Json| is(row, "runs") && !is_new(row) && !is_late(row);
    let noun = "[A-Za-z]+(?: and hooks)?";
    let folds: [(String, usize); 9] = [
        (r"fails at (\d+) ".to_owned(), rows.iter().filter(|row| is(row, "fails")).count()),
        (
            format!(r"(\d+) {noun} do(?:es)? not run"),
            rows.iter()
                .filter(|row| is(row, "lost") || is(row, "not-reached") || is(row, "never") && row["bad"] == true)
                .count(),
        ),
        (format!(r"(\d+) {noun} cannot start"), rows.iter().filter(|row| is(row, "cannot-start")).count()),
        (format!(r"(\d+) new {noun} runs?\b"), rows.iter().filter(|row| is_new(row)).count()),
        (
            format!(r"(\d+) {noun} runs? again"),
            rows.iter().filter(|row| is(row, "runs-again") && (is_started || is_changed(row))).count(),
        ),
        (format!(r"(\d+) {noun} resumes?"), rows.iter().filter(|row| is(row, "resumes")).count()),
        (
            format!(r"(\d+) {noun} runs? with the change"),
            rows.iter().filter(|row| is_anyway(row) && is_changed(row)).count(),
        ),
        (
            format!(r"(\d+) {noun} runs? as at every sync"),
            rows.iter().filter(|row| is_anyway(row) && !is_changed(row) && is_started).count(),
        ),
        (
            format!(r"(\d+) {noun} (?:is|are) deleted"),
            rows.iter().filter(|row| row["outcome"].as_str().unwrap().starts_with("deleted")).count(),
        ),
    ];
    let wrong = folds.into_iter().find(|(pattern, count)| sum(summary, pattern) != *count);
    wrong.map(|(pattern, count)| format!("`{pattern}`: the rows have {count}: {summary}"))
}

fn output(case: &Case, format: &str) -> String {
    let mut command = program::program(&case.dir.join("in"));
    command.envs(case.environment.iter().map(|(name, value)| (name, value))).env("PATH", switches::path());
    command.args(&case.arguments).args(["--format", format]);
    let input = case.input.as_ref().map(|input| std::fs::read(input).unwrap()).unwrap_or_default();
    program::run(command, &input).text()
}

/// The visible lines of a comment that are not about findings: those outside of `<details>` that are not blank.
fn visible(comment: &str) -> usize {
    let (mut depth, mut is_finding, mut count) = (0, false, 0);
    for line in comment.lines() {
        depth += line.matches("<details>").count();
        is_finding |= line.starts_with("#### ");
        let is_said = line.starts_with("- **error**") || line.starts_with("- **warning**");
        is_finding &= line.is_empty() || line.starts_with("#### ") || is_said;
        count += usize::from(depth == 0 && !is_finding && !line.is_empty());
        depth -= line.matches("</details>").count();
    }
    count
}

#[test]
fn the_first_line_is_a_fold_of_the_rows_and_a_comment_is_short() {
    let mut wrong = String::new();
    let mut compared = 0;
    for case in case::all().into_iter().filter(|case| case.name.starts_with("preview/")) {
        let has = |flag: &str| case.arguments.iter().any(|argument| argument == flag);
        if !case.dir.join("in").is_dir() || has("--format") || !has("--base") || has("--all") {
            continue;
        }
        let Ok(told) = serde_json::from_str::<Json>(&output(&case, "json")) else { continue };
        let Some(applications) = told["applications"].as_array() else { continue };
        let mut rows = 0;
        for application in applications {
            compared += 1;
            wrong += &differs(application).map(|found| format!("{}: {found}\n", case.name)).unwrap_or_default();
            let all = application["rows"].as_array().unwrap();
            rows += all.len();
            let absent = |row: &&Json| row["moment"].is_null();
            let named = all.iter().filter(|row| !absent(row));
            let names: BTreeSet<String> = named
                .clone()
                .map(|row| ["kind", "group", "namespace", "name"].map(|key| row[key].to_string()).concat())
                .collect();
            if names.len() != named.count() {
                wrong += &format!("{}: an object has two rows\n", case.name);
            }
        }
        let lines = visible(&output(&case, "markdown"));
        let most = 6 + rows + 3 * applications.len() + told["notChecked"].as_array().unwrap().len();
        if lines > most {
            wrong += &format!("{}: {lines} visible lines, at most {most}\n", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared > 80, "{compared}");
}
